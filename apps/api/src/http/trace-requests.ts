import type { RequestHandler, Response } from 'express'
import type { Tracing } from '../shared/tracing.ts'
import { routeOf } from './metrics/metrics.ts'
import { contextOf } from './request-context.ts'

// Orchestrators and Prometheus request these pages every few seconds.
const untraced = /^\/(?:livez|readyz|metrics)\/?(?:\?|$)/i

// A shared function instead of a closure; `request-context.ts` explains why.
function endSpan(this: Response): void {
  contextOf(this).span?.end({ status: this.statusCode, route: routeOf(this.req), aborted: !this.writableFinished })
}

/** Starts a span for each request except probes and scrapes. Must run before the first log line of a request. */
export const traceRequests =
  (tracing: Tracing): RequestHandler =>
  (request, response, next) => {
    if (!untraced.test(request.url)) {
      contextOf(response).span = tracing.startRequest(request)
      response.on('close', endSpan)
    }
    next()
  }
