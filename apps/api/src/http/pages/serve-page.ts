import { type RequestHandler, Router } from 'express'
import { ApiError } from '../../shared/api-error.ts'

/** A public plain-text page. */
export interface TextPage {
  readonly path: string
  render(): Promise<{ readonly status: number; readonly type: string; readonly text: string }>
}

/**
 * Creates the handler for the methods that a path outside the API contract does not support. Like `unmatched`, responds with 204
 * to `OPTIONS`, and with 405 to other methods.
 * @param methods The supported methods, such as `GET, HEAD`.
 */
export const rejectOtherMethods = (methods: string): RequestHandler => {
  const allow = `${methods}, OPTIONS`
  return (request, response) => {
    if (request.method !== 'OPTIONS')
      throw new ApiError('method_not_allowed', `This resource supports ${methods}.`, { headers: { Allow: allow } })
    response.set('Allow', allow).status(204).end()
  }
}

/** Serves a page that is not part of the API contract. Like an API operation, it answers unsupported methods with 405. */
export const servePage = (router: Router, path: string, handler: RequestHandler<Record<string, string>>): void => {
  router.get(path, handler as RequestHandler)
  router.all(path, rejectOtherMethods('GET, HEAD'))
}

/** Creates a router that serves plain-text pages. */
export const textPages = (pages: readonly TextPage[]): Router => {
  const router = Router()
  for (const page of pages)
    servePage(router, page.path, async (_request, response) => {
      const { status, type, text } = await page.render()
      response.status(status).set('Content-Type', type).send(text)
    })
  return router
}
