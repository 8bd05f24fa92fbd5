import type { IncomingMessage } from 'node:http'
import { type Attributes, type Context, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api'
import {
  ATTR_ERROR_TYPE,
  ATTR_HTTP_REQUEST_METHOD,
  ATTR_HTTP_RESPONSE_STATUS_CODE,
  ATTR_HTTP_ROUTE,
  ATTR_URL_PATH,
} from '@opentelemetry/semantic-conventions'
import { toId } from '../shared/ids.ts'
import { loggedPath } from '../shared/logged-path.ts'
import type { TraceSpan, Tracing } from '../shared/tracing.ts'
import { type Headers, parseTraceContext, readTraceContext, serializeTraceContext } from './trace-context.ts'

// Names from OpenTelemetry's messaging conventions, which are not stable yet. They are not imported, because the package
// `@opentelemetry/semantic-conventions` exports them only from `incubating`, which may change in any minor release.
const messaging = {
  system: 'messaging.system',
  destination: 'messaging.destination.name',
  operationName: 'messaging.operation.name',
  operationType: 'messaging.operation.type',
  batchCount: 'messaging.batch.message_count',
  messageId: 'messaging.message.id',
}
const destination = 'deliveries'
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** A span in this process, with the context for starting its child spans. */
interface LocalSpan extends TraceSpan {
  readonly asParent: Context
}

const contextOf = (span: TraceSpan | undefined): Context => (span ? (span as LocalSpan).asParent : ROOT_CONTEXT)

const describe = (span: Span): LocalSpan => {
  const { traceId, spanId } = span.spanContext()
  const asParent = trace.setSpan(ROOT_CONTEXT, span)
  return { asParent, ids: { trace_id: traceId, span_id: spanId }, context: serializeTraceContext(asParent) }
}

const fail = (span: Span, error: string): void => {
  span.setAttribute(ATTR_ERROR_TYPE, error)
  span.setStatus({ code: SpanStatusCode.ERROR })
}

const messagingAttributes = (name: string, type: string): Attributes => ({
  [messaging.system]: 'flowpost',
  [messaging.destination]: destination,
  [messaging.operationName]: name,
  [messaging.operationType]: type,
})

/** Creates the functions that start spans. */
export const createSpans = (tracer: Tracer): Omit<Tracing, 'stop'> => ({
  startRequest: (request: IncomingMessage) => {
    const method = methods.has(request.method ?? '') ? (request.method ?? '') : '_OTHER'
    const attributes = { [ATTR_HTTP_REQUEST_METHOD]: method, [ATTR_URL_PATH]: loggedPath(request.url ?? '') }
    const parent = readTraceContext(request.headers as Headers)
    const name = method === '_OTHER' ? 'HTTP' : method
    const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent)
    return {
      ...describe(span),
      end: ({ status, route, aborted }) => {
        if (route !== undefined) {
          span.updateName(`${name} ${route}`)
          span.setAttribute(ATTR_HTTP_ROUTE, route)
        }
        span.setAttribute(ATTR_HTTP_RESPONSE_STATUS_CODE, status)
        if (status >= 500) fail(span, String(status))
        else if (aborted) fail(span, 'aborted')
        span.end()
      },
    }
  },

  startSend: (parent, { notificationId, deliveries }) => {
    const attributes: Attributes = {
      ...messagingAttributes('send', 'send'),
      [messaging.batchCount]: deliveries,
      'flowpost.notification_id': toId('notification', notificationId),
    }
    const span = tracer.startSpan(`send ${destination}`, { kind: SpanKind.PRODUCER, attributes }, contextOf(parent))
    return {
      ...describe(span),
      end: (error) => {
        if (error !== undefined) fail(span, error)
        span.end()
      },
    }
  },

  startAttempt: ({ parent, notificationId, deliveryId, sourceType, number, waitingSince, startedAt }) => {
    const context = parent === null ? ROOT_CONTEXT : parseTraceContext(parent)
    const id = toId('delivery', deliveryId)
    const attributes: Attributes = {
      [messaging.messageId]: id,
      'flowpost.notification_id': toId('notification', notificationId),
      'flowpost.delivery_id': id,
      'flowpost.source_type': sourceType,
      'flowpost.attempt': number,
    }
    // A span cannot end before it starts. `waitingSince` can be later than `startedAt`, because the clocks of the processes
    // may differ.
    const startTime = new Date(Math.min(waitingSince.getTime(), startedAt.getTime()))
    const waiting = { ...messagingAttributes('wait', 'receive'), ...attributes }
    tracer.startSpan(`wait ${destination}`, { kind: SpanKind.INTERNAL, attributes: waiting, startTime }, context).end(startedAt)
    const processing = { ...messagingAttributes('process', 'process'), ...attributes }
    const span = tracer.startSpan(`process ${destination}`, { kind: SpanKind.CONSUMER, attributes: processing }, context)
    return {
      ...describe(span),
      end: ({ outcome, error }) => {
        span.setAttribute('flowpost.outcome', outcome)
        if (error !== undefined) fail(span, error)
        span.end()
      },
    }
  },
})
