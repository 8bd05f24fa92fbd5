import { type Context, ROOT_CONTEXT } from '@opentelemetry/api'
import { TRACE_PARENT_HEADER, TRACE_STATE_HEADER, W3CTraceContextPropagator } from '@opentelemetry/core'

/** The headers of a request. */
export type Headers = Readonly<Record<string, string | undefined>>

const propagator = new W3CTraceContextPropagator()

/** Returns the trace context in the headers of a request, or an empty context if there is none or it is invalid. */
export const readTraceContext = (headers: Headers): Context =>
  propagator.extract(ROOT_CONTEXT, headers, { get: (carrier, name) => carrier[name], keys: Object.keys })

/** Formats a trace context as `traceparent`, followed by a space and `tracestate` if there is one. */
export const serializeTraceContext = (context: Context): string => {
  const headers: Record<string, string> = {}
  propagator.inject(context, headers, {
    set: (carrier, name, value) => {
      carrier[name] = value
    },
  })
  return [headers[TRACE_PARENT_HEADER], headers[TRACE_STATE_HEADER]].filter(Boolean).join(' ')
}

/** Parses the result of {@link serializeTraceContext}. */
export const parseTraceContext = (text: string): Context => {
  const [traceparent = '', ...tracestate] = text.split(' ')
  return readTraceContext({ [TRACE_PARENT_HEADER]: traceparent, [TRACE_STATE_HEADER]: tracestate.join(' ') })
}
