import type { RequestHandler, Response } from 'express'
import type { Tracing } from '../shared/tracing.ts'
import { isProbe } from './connections/probe-reserve.ts'
import { routeOf } from './metrics/metrics.ts'
import { contextOf } from './request-context.ts'
import { statusOfClosed } from './response-status.ts'

// A shared function instead of a closure; `request-context.ts` explains why.
function endSpan(this: Response): void {
  contextOf(this).span?.end({ status: statusOfClosed(this), route: routeOf(this.req), aborted: !this.writableFinished })
}

/**
 * Starts a span for each request, except health probes and requests for metrics. Register it before anything that logs,
 * so that all log lines of a request contain the ids of its span.
 */
export const traceRequests =
  (tracing: Tracing): RequestHandler =>
  (request, response, next) => {
    // Health probes and requests for metrics arrive every few seconds, so they are not traced.
    if (!isProbe(request.url)) {
      contextOf(response).span = tracing.startRequest(request)
      response.on('close', endSpan)
    }
    next()
  }
