import type { RequestListener } from 'node:http'
import { problemMediaType } from '@flowpost/contract'
import { toProblem } from '@flowpost/contract/rules'
import type { Request, RequestHandler, Response } from 'express'
import type { Logger } from 'pino'
import { ApiError } from '../shared/api-error.ts'
import { contextOf } from './request-context.ts'
import { requestContext } from './request-id.ts'
import { requireHost } from './require-host.ts'
import { securityHeaders } from './security-headers.ts'
import type { TextPage } from './text-page.ts'

/** What a worker's server is made of. */
export interface ProbeServerDeps {
  readonly log: Logger
  /** Sees every request first, to measure it. */
  readonly measureRequests: RequestHandler
  readonly pages: readonly TextPage[]
}

const allow = 'GET, HEAD, OPTIONS'
const nothing = () => {}

/** What a worker serves: its probes and metrics, and nothing else. It has no use for Express, so that is not loaded. */
export const createProbeServer = ({ log, measureRequests, pages }: ProbeServerDeps): RequestListener => {
  const context = requestContext(log)

  const answer = async (request: Request, response: Response): Promise<void> => {
    securityHeaders(request, response, nothing)
    requireHost(request, response, nothing)
    const path = (request.url.split('?', 1)[0] ?? '').replace(/(?<=.)\/$/, '').toLowerCase()
    const page = pages.find((each) => each.path === path)
    if (!page) throw new ApiError('not_found', `There is nothing at ${path.slice(0, 200)}.`)
    // What the request is counted under.
    Object.assign(request, { route: { path: page.path } })
    if (request.method === 'OPTIONS') {
      response.writeHead(204, { Allow: allow }).end()
      return
    }
    if (request.method !== 'GET' && request.method !== 'HEAD')
      throw new ApiError('method_not_allowed', 'This resource supports GET, HEAD.', { headers: { Allow: allow } })
    const { status, type, text } = await page.answer()
    response.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(text) }).end(text)
  }

  const fail = (response: Response, error: unknown): void => {
    const { log: own, requestId } = contextOf(response)
    if (!(error instanceof ApiError)) own.error({ err: error }, 'request failed')
    const problem =
      error instanceof ApiError
        ? error
        : new ApiError('internal', 'An unexpected error occurred. Find it in the server log by the request id.')
    const body = JSON.stringify(toProblem(problem, requestId))
    response
      .writeHead(problem.status, {
        ...problem.headers,
        'Content-Type': `${problemMediaType}; charset=utf-8`,
        'Content-Length': Buffer.byteLength(body),
      })
      .end(body)
  }

  return (incoming, outgoing) => {
    // As much of Express's form as the handlers that both servers share look at.
    const request = Object.assign(incoming, { baseUrl: '', originalUrl: incoming.url ?? '' }) as Request
    const response = Object.assign(outgoing, { locals: {} }) as Response
    context(request, response, nothing)
    measureRequests(request, response, nothing)
    answer(request, response).catch((error: unknown) => fail(response, error))
  }
}
