import { trace } from '@opentelemetry/api'
import { expect, it } from 'vitest'
import { parseTraceContext, readTraceContext, serializeTraceContext } from './trace-context.ts'

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

it.each([
  ['alone', {}, traceparent],
  ['with a tracestate', { tracestate: 'shop=1,other=2' }, `${traceparent} shop=1,other=2`],
])('stores a traceparent %s as text that can be parsed again', (_, headers, expected) => {
  const text = serializeTraceContext(readTraceContext({ traceparent, ...headers }))
  expect(text).toBe(expected)
  expect(serializeTraceContext(parseTraceContext(text))).toBe(text)
})

it.each(['', 'x', `${traceparent}-more`, traceparent.replace('0af7', 'zzzz')])('ignores the invalid traceparent "%s"', (invalid) => {
  expect(trace.getSpanContext(readTraceContext({ traceparent: invalid }))).toBeUndefined()
})
