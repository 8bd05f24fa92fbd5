import { api } from '@flowpost/contract'
import { createExpressEndpoints } from '@ts-rest/express'
import express, { type Express, type RequestHandler, type Response, type Router } from 'express'
import type { Logger } from 'pino'
import { authenticate, requireScope, type VerifyToken } from '../auth/authenticate.ts'
import type { FailedAuthentication } from '../auth/failed-authentication.ts'
import { type BodyCheck, checkBodies } from './check-bodies.ts'
import { cors } from './cors.ts'
import { inTurn } from './in-turn.ts'
import { jsonBody } from './json-body.ts'
import { createOperations } from './operations.ts'
import { problemHandler } from './problem-response.ts'
import { limitRate, type RateLimit } from './rate-limit.ts'
import { requestContext } from './request-id.ts'
import { requireHost } from './require-host.ts'
import { securityHeaders } from './security-headers.ts'
import { unmatched } from './unmatched.ts'

type Routes = Parameters<typeof createExpressEndpoints<typeof api>>[1]

/** What the HTTP layer is made of. */
export interface ServerDeps {
  readonly log: Logger
  /** Sees every request first, to measure it. */
  readonly measureRequests: RequestHandler
  readonly verifyToken: VerifyToken
  readonly failures: FailedAuthentication
  /** For each credential; `undefined`: none. */
  readonly rateLimit: RateLimit | undefined
  /** Express's `trust proxy`. */
  readonly trustProxy: false | number | readonly string[]
  /** The origins whose pages may call the operations. */
  readonly corsOrigins: readonly string[]
  readonly bodyLimitBytes: number
  /** The implementation of every operation of the contract. */
  readonly routes: Routes
  /** Faults that schemas cannot know, by the route that they belong to. */
  readonly bodyChecks: ReadonlyMap<unknown, BodyCheck>
  /** Pages and probes beside the contract. */
  readonly pages: readonly Router[]
}

/** The query of a URL: a parameter that is given twice is a list, which no schema takes. */
const parseQuery = (text: string | null): Record<string, string | string[]> => {
  const query: Record<string, string | string[]> = Object.create(null)
  if (!text) return query
  for (const [name, value] of new URLSearchParams(text)) {
    const before = query[name]
    query[name] = before === undefined ? value : [...(Array.isArray(before) ? before : [before]), value]
  }
  return query
}

/** What is left of Express's own when nothing of its settings is asked for. */
const sendJson = function (this: Response, body?: unknown): Response {
  const text = JSON.stringify(body)
  if (!this.hasHeader('Content-Type')) this.setHeader('Content-Type', 'application/json; charset=utf-8')
  this.setHeader('Content-Length', Buffer.byteLength(text))
  return this.req.method === 'HEAD' ? this.end() : this.end(text)
}

/** A plain Express application without its conveniences: they cost time or say too much. */
const bareExpress = (): Express => {
  const app = express().disable('x-powered-by').disable('etag').set('query parser', parseQuery)
  // Express would answer 304 by itself, even where there is no tag, to `If-None-Match: *`. What has a tag compares it.
  Object.defineProperty(app.request, 'fresh', { value: false })
  app.response.json = sendJson
  return app
}

/** The whole HTTP side: the contract's operations, pages and probes, and problem+json for everything else. */
export const createHttpApp = (deps: ServerDeps): Express => {
  const app = bareExpress().set('trust proxy', deps.trustProxy)
  const before = [requestContext(deps.log), deps.measureRequests, securityHeaders, requireHost]
  if (deps.corsOrigins.length > 0) app.use(inTurn(before)).use('/v1', cors(deps.corsOrigins))
  const operations = createOperations()
  createExpressEndpoints(api, deps.routes, operations.app, {
    logInitialization: false,
    responseValidation: true,
    requestValidationErrorHandler: (error, _request, _response, next) => next(error),
    globalMiddleware: [
      authenticate(deps),
      ...(deps.rateLimit ? [limitRate(deps.rateLimit)] : []),
      requireScope,
      jsonBody(deps.bodyLimitBytes),
      checkBodies(deps.bodyChecks),
    ] as never[],
  })
  app.use(deps.corsOrigins.length > 0 ? operations.handle : inTurn([...before, operations.handle]))
  for (const page of deps.pages) app.use(page)
  app.use(unmatched(api))
  app.use(problemHandler)
  return app
}
