import { randomUUID } from 'node:crypto'
import type { RequestHandler } from 'express'
import type { Logger } from 'pino'
import { setContext } from '../shared/request-context.ts'

// Sane: what a proxy or a tracing tool makes, and nothing that could forge a line of a log.
const sane = /^[A-Za-z0-9._:/+=@-]{1,128}$/

/** Gives each request an id, kept from `X-Request-Id` when that is sane, and a log that carries it. */
export const requestContext =
  (log: Logger): RequestHandler =>
  (request, response, next) => {
    const incoming = request.get('x-request-id')
    const requestId = incoming !== undefined && sane.test(incoming) ? incoming : randomUUID()
    setContext(response, { requestId, log: log.child({ request_id: requestId }) })
    response.set('X-Request-Id', requestId)
    const startedAt = performance.now()
    response.on('close', () => {
      const { log: own, principal } = response.locals['context']
      own.info(
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
    next()
  }
