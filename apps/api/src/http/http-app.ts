import { api } from '@flowpost/contract'
import { parseQuery } from '@flowpost/contract/rules'
import { createExpressEndpoints } from '@ts-rest/express'
import express, { type Express, type RequestHandler, type Response, type Router } from 'express'
import type { Logger } from 'pino'
import { authenticate, requireScope, type VerifyToken } from '../auth/authenticate.ts'
import type { FailedAuthentication } from '../auth/failed-authentication.ts'
import type { Tracing } from '../shared/tracing.ts'
import { type BodyChecks, checkBodies, rejectInvalid } from './check-bodies.ts'
import { cors } from './cors.ts'
import { requireHost, securityHeaders } from './hardening.ts'
import { jsonBody } from './json-body.ts'
import { readPathLiterally } from './path-encoding.ts'
import { problemHandler } from './problem-response.ts'
import { limitRate, type RateLimit } from './rate-limit.ts'
import { requestContext } from './request-context.ts'
import { traceRequests } from './trace-requests.ts'
import { unmatched } from './unmatched.ts'

type Routes = Parameters<typeof createExpressEndpoints<typeof api>>[1]

/** The dependencies of {@link createHttpApp}. */
export interface HttpAppDeps {
  readonly log: Logger
  /** Records the duration of every request. Runs before the operations. */
  readonly measureRequests: RequestHandler
  /** Records each request as a span; `undefined` if tracing is off. */
  readonly tracing: Tracing | undefined
  readonly verifyToken: VerifyToken
  readonly failures: FailedAuthentication
  /** The rate limit for each credential; `undefined` for no limit. */
  readonly rateLimit: RateLimit | undefined
  /** Express's `trust proxy` setting. */
  readonly trustProxy: false | number | readonly string[]
  /** The origins whose pages may call the API. */
  readonly corsOrigins: readonly string[]
  readonly bodyLimitBytes: number
  /** Compares the settings digest in a request with the current settings. Runs before the body is validated. */
  readonly reportSettingsChange: RequestHandler
  /** The implementations of the operations. */
  readonly routes: Routes
  /** The features' checks of request bodies. */
  readonly bodyChecks: BodyChecks
  /** The pages and probes outside the contract. */
  readonly pages: readonly Router[]
}

/** Replaces `response.json`. Express's own version also supports settings and ETags, which cost time and are not used. */
const sendJson = function (this: Response, body?: unknown): Response {
  const text = JSON.stringify(body)
  if (!this.hasHeader('Content-Type')) this.setHeader('Content-Type', 'application/json; charset=utf-8')
  this.setHeader('Content-Length', Buffer.byteLength(text))
  return this.req.method === 'HEAD' ? this.end() : this.end(text)
}

/** Creates an Express application without the `X-Powered-By` header, automatic ETags and automatic 304 responses. */
const createExpress = (): Express => {
  const app = express()
    .disable('x-powered-by')
    .disable('etag')
    .set('query parser', (text: string | null) => parseQuery(new URLSearchParams(text ?? '')))
  // Disables Express's automatic 304, which answers `If-None-Match: *` with 304 even if the response has no ETag.
  // Handlers that set an ETag compare it themselves.
  Object.defineProperty(app.request, 'fresh', { value: false })
  app.response.json = sendJson
  return app
}

/**
 * Creates the HTTP application: the operations of the contract and the pages. All other requests receive a problem
 * response.
 */
export const createHttpApp = (deps: HttpAppDeps): Express => {
  const app = createExpress().set('trust proxy', deps.trustProxy)
  app.use(
    requestContext(deps.log),
    ...(deps.tracing ? [traceRequests(deps.tracing)] : []),
    deps.measureRequests,
    securityHeaders,
    requireHost,
  )
  if (deps.corsOrigins.length > 0) app.use('/v1', cors(deps.corsOrigins))
  app.use('/v1', readPathLiterally)
  createExpressEndpoints(api, deps.routes, app, {
    logInitialization: false,
    responseValidation: true,
    requestValidationErrorHandler: rejectInvalid(deps.bodyChecks),
    globalMiddleware: [
      authenticate(deps),
      ...(deps.rateLimit ? [limitRate(deps.rateLimit)] : []),
      requireScope,
      jsonBody(deps.bodyLimitBytes),
      deps.reportSettingsChange,
      checkBodies(deps.bodyChecks),
    ] as never[],
  })
  for (const page of deps.pages) app.use(page)
  app.use(unmatched(api))
  app.use(problemHandler)
  return app
}
