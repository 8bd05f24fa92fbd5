import { randomUUID } from 'node:crypto'
import type { RequestHandler, Response } from 'express'
import type { Logger } from 'pino'
import { contextOf, createContext, setContext } from './request-context.ts'

// Sane: what a proxy or a tracing tool makes, and nothing that could forge a line of a log.
const sane = /^[A-Za-z0-9._:/+=@-]{1,128}$/

/** Gives each request an id, kept from `X-Request-Id` when that is sane, and a log that carries it. */
export const requestContext =
  (log: Logger): RequestHandler =>
  (request, response, next) => {
    const incoming = request.headers['x-request-id']
    const requestId = typeof incoming === 'string' && sane.test(incoming) ? incoming : randomUUID()
    setContext(response, createContext(requestId, log))
    response.setHeader('X-Request-Id', requestId)
    if (log.isLevelEnabled('info')) response.on('close', logRequest)
    next()
  }

// An orchestrator asks every few seconds. Matched as the routes are: in any case, with or without a slash at the end.
const probe = /^\/(?:livez|readyz)\/?$/i

// One function for all requests: one for each keeps its request and answer in memory until the next major collection,
// and collecting garbage then takes 20 ms instead of half of one, many times a second.
function logRequest(this: Response): void {
  const { log, principal, startedAt } = contextOf(this)
  const path = this.req.originalUrl.split('?', 1)[0] ?? ''
  log[probe.test(path) ? 'debug' : 'info'](
    {
      method: this.req.method,
      path,
      status: this.statusCode,
      duration_ms: Math.round((performance.now() - startedAt) * 10) / 10,
      ...(principal ? { credential: principal.credentialId } : {}),
      ...(this.writableFinished ? {} : { aborted: true }),
    },
    'request',
  )
}
