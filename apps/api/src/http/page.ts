import { type RequestHandler, Router } from 'express'
import { ApiError } from '../shared/api-error.ts'
import type { TextPage } from './text-page.ts'

const allow = 'GET, HEAD, OPTIONS'

const refuseOthers: RequestHandler = (request, response) => {
  if (request.method !== 'OPTIONS')
    throw new ApiError('method_not_allowed', 'This resource supports GET, HEAD.', { headers: { Allow: allow } })
  response.set('Allow', allow).status(204).end()
}

/** Serves a page beside the contract: it can be read, and every other method is 405 as for an operation. */
export const servePage = (router: Router, path: string, handler: RequestHandler<Record<string, string>>): void => {
  router.get(path, handler as RequestHandler)
  router.all(path, refuseOthers)
}

/** Serves pages of plain text. */
export const textPages = (pages: readonly TextPage[]): Router => {
  const router = Router()
  for (const { path, answer } of pages)
    servePage(router, path, async (_request, response) => {
      const { status, type, text } = await answer()
      response.status(status).set('Content-Type', type).send(text)
    })
  return router
}
