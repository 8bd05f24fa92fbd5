import { randomUUID } from 'node:crypto'
import type { Request, RequestHandler, Response } from 'express'
import type { Logger } from 'pino'
import { contextOf, createContext, setContext } from '../shared/request-context.ts'

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
    if (log.isLevelEnabled('info')) logAtEnd(request, response)
    next()
  }

const logAtEnd = (request: Request, response: Response): void => {
  const startedAt = performance.now()
  response.on('close', () => {
    const { log, principal } = contextOf(response)
    log.info(
      {
        method: request.method,
        path: request.originalUrl.split('?', 1)[0],
        status: response.statusCode,
        duration_ms: Math.round((performance.now() - startedAt) * 10) / 10,
        ...(principal ? { credential: principal.credentialId } : {}),
        ...(response.writableFinished ? {} : { aborted: true }),
      },
      'request',
    )
  })
}
