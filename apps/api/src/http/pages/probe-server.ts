import type { RequestListener } from 'node:http'
import { problemMediaType } from '@flowpost/contract'
import { toProblem } from '@flowpost/contract/rules'
import type { Request, RequestHandler, Response } from 'express'
import type { Logger } from 'pino'
import { ApiError } from '../../shared/api-error.ts'
import { requireHost, securityHeaders } from '../hardening.ts'
import { contextOf, requestContext } from '../request-context.ts'
import type { TextPage } from './serve-page.ts'

const plainText = 'text/plain; charset=utf-8'

const onHold = 'on hold: no messages are sent, because the database was restored\n'

/** Creates the liveness and readiness probes for orchestrators. They need no credential and reveal no details. */
export const createProbes = (deps: { isReady: () => Promise<boolean>; isOnHold: () => boolean }): readonly TextPage[] => [
  { path: '/livez', render: async () => ({ status: 200, type: plainText, text: 'ok\n' }) },
  {
    path: '/readyz',
    render: async () => {
      const isReady = await deps.isReady()
      // A process on hold is ready: it accepts requests, and a restart would not help.
      const state = deps.isOnHold() ? `ready\n${onHold}` : 'ready\n'
      return { status: isReady ? 200 : 503, type: plainText, text: isReady ? state : 'not ready\n' }
    },
  },
]

/** The dependencies of {@link createProbeServer}. */
export interface ProbeServerDeps {
  readonly log: Logger
  /** Records the duration of every request. Runs before the pages are rendered. */
  readonly measureRequests: RequestHandler
  readonly pages: readonly TextPage[]
}

const allow = 'GET, HEAD, OPTIONS'
const noop = () => {}

/** Creates the request listener of a worker, which serves only probes and metrics. It does not load Express. */
export const createProbeServer = ({ log, measureRequests, pages }: ProbeServerDeps): RequestListener => {
  const context = requestContext(log)

  const serve = async (request: Request, response: Response): Promise<void> => {
    securityHeaders(request, response, noop)
    requireHost(request, response, noop)
    const path = (request.url.split('?', 1)[0] ?? '').replace(/(?<=.)\/$/, '').toLowerCase()
    const page = pages.find((candidate) => candidate.path === path)
    if (!page) throw new ApiError('not_found', `There is nothing at ${path.slice(0, 200)}.`)
    // Sets the route label for the metrics.
    Object.assign(request, { route: { path: page.path } })
    if (request.method === 'OPTIONS') {
      response.writeHead(204, { Allow: allow }).end()
      return
    }
    if (request.method !== 'GET' && request.method !== 'HEAD')
      throw new ApiError('method_not_allowed', 'This resource supports GET, HEAD.', { headers: { Allow: allow } })
    const { status, type, text } = await page.render()
    response.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(text) }).end(text)
  }

  const sendProblem = (response: Response, error: unknown): void => {
    const { log: requestLog, requestId } = contextOf(response)
    if (!(error instanceof ApiError)) requestLog.error({ err: error }, 'request failed')
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
    // The handlers also run in the API server, which uses Express. They need these members of Express's request and response.
    const request = Object.assign(incoming, { baseUrl: '', originalUrl: incoming.url ?? '' }) as Request
    const response = Object.assign(outgoing, { locals: {} }) as Response
    context(request, response, noop)
    measureRequests(request, response, noop)
    serve(request, response).catch((error: unknown) => sendProblem(response, error))
  }
}
