import type { WrittenAnswer } from './idempotency.ts'

/** What the server sends with every answer. */
const everywhere = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
}

const stalled = new WeakSet<Response>()

/** Whether the body of an answer never ends. */
export const isStalled = (response: Response): boolean => stalled.has(response)

const neverEnding = (text: string, signal: AbortSignal): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start: (controller) => {
      controller.enqueue(new TextEncoder().encode(text))
      signal.addEventListener('abort', () => controller.error(signal.reason), { once: true })
    },
  })

/** Makes a response of an answer. */
export const toResponse = (
  answer: WrittenAnswer & { readonly isStalled?: boolean },
  request: { readonly method: string; readonly requestId: string; readonly signal: AbortSignal },
): Response => {
  const headers = { ...everywhere, 'X-Request-Id': request.requestId, ...answer.headers }
  const text = request.method === 'HEAD' ? undefined : answer.text
  const body = text === undefined ? null : answer.isStalled ? neverEnding(text, request.signal) : text
  const response = new Response(body, { status: answer.status, headers })
  if (answer.isStalled) stalled.add(response)
  return response
}
