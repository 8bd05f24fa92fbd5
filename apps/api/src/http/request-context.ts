import { randomUUID } from 'node:crypto'
import type { RequestHandler, Response } from 'express'
import type { Logger } from 'pino'
import type { Author, Principal } from '../auth/principal.ts'
import { loggedPath } from '../shared/logged-path.ts'
import type { RequestSpan } from '../shared/tracing.ts'
import { statusOfClosed } from './response-status.ts'

/** Counts additional requests against the rate limit of `key`, and updates the rate-limit headers of the response. */
export interface Charge {
  /** Counts `points` additional requests. Does not throw if they exceed the limit. */
  (response: Response, key: string, points: number): void
  /** Counts one additional request, and throws `rate_limited` if it exceeds the limit. */
  item(response: Response, key: string): Promise<void>
}

/** The state of one request: its id, its log and, after authentication, its principal. */
export interface RequestContext {
  readonly requestId: string
  readonly log: Logger
  /** The value of `performance.now()` when the request arrived. */
  readonly startedAt: number
  principal?: Principal
  /** The span of the request; absent if the request is not traced. */
  span?: RequestSpan
  /** Counts rendered bytes and batch items as additional requests; absent if there is no rate limit. */
  charge?: Charge
}

/** A request context that creates the child logger on first use, so that requests that log nothing do not need one. */
class LazyLogContext implements RequestContext {
  principal?: Principal
  span?: RequestSpan
  charge?: Charge
  readonly requestId: string
  readonly startedAt = performance.now()
  readonly #parentLog: Logger
  #log: Logger | undefined

  constructor(requestId: string, log: Logger) {
    this.requestId = requestId
    this.#parentLog = log
  }

  get log(): Logger {
    this.#log ??= this.#parentLog.child({ request_id: this.requestId, ...this.span?.ids })
    return this.#log
  }
}

/** Creates the context of a request that has just arrived. */
export const createContext = (requestId: string, log: Logger): RequestContext => new LazyLogContext(requestId, log)

/** Attaches a context to a response. */
export const setContext = (response: Response, context: RequestContext): void => {
  response.locals['context'] = context
}

/** Returns the context of a response. */
export const contextOf = (response: Response): RequestContext => response.locals['context'] as RequestContext

/**
 * Returns the authenticated principal of a request.
 * @throws Error on a route without authentication.
 */
export const principalOf = (response: Response): Principal => {
  const { principal } = contextOf(response)
  if (!principal) throw new Error('The route does not authenticate its requests.')
  return principal
}

/**
 * Returns the authenticated principal of a request that changes settings, with the id of the request.
 * @throws Error on a route without authentication.
 */
export const authorOf = (response: Response): Author => ({ ...principalOf(response), requestId: contextOf(response).requestId })

// Accepts the ids of proxies and tracing tools, but no character that could forge a log line.
const safeRequestId = /^[A-Za-z0-9._:/+=@-]{1,128}$/

/**
 * Gives each request an id, and a log that adds the id to each line. The id is the value of the `X-Request-Id` header,
 * or a random UUID if the header is missing or its value is not safe to log.
 */
export const requestContext =
  (log: Logger): RequestHandler =>
  (request, response, next) => {
    const incoming = request.headers['x-request-id']
    const requestId = typeof incoming === 'string' && safeRequestId.test(incoming) ? incoming : randomUUID()
    setContext(response, createContext(requestId, log))
    response.setHeader('X-Request-Id', requestId)
    if (log.isLevelEnabled('info')) response.on('close', logRequest)
    next()
  }

// Orchestrators request probes every few seconds, so these requests are logged at `debug`. Like Express routes, the pattern
// ignores case and a trailing slash.
const probe = /^\/(?:livez|readyz)\/?$/i

// All requests share this function. A closure per request would keep that request and its response in memory until the next
// major garbage collection. Because of these objects, each minor garbage collection would pause the process for 20 ms instead
// of half a millisecond. There are many minor garbage collections per second.
function logRequest(this: Response): void {
  const { log, principal, startedAt } = contextOf(this)
  const path = loggedPath(this.req.originalUrl)
  log[probe.test(path) ? 'debug' : 'info'](
    {
      method: this.req.method,
      path,
      status: statusOfClosed(this),
      duration_ms: Math.round((performance.now() - startedAt) * 10) / 10,
      ...(principal ? { credential: principal.credentialId } : {}),
      ...(this.writableFinished ? {} : { aborted: true }),
    },
    'request',
  )
}
