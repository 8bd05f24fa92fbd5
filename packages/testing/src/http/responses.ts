import { problemMediaType, problems } from '@flowpost/contract'
import { ApiError, toProblem } from '@flowpost/contract/rules'
import type { StatusFault } from '../faults/request-faults.ts'
import { checkResponse } from './contract-check.ts'
import type { Reply } from './handler.ts'
import type { WrittenResponse } from './idempotency.ts'
import type { NamedRoute } from './operations.ts'

const json = 'application/json; charset=utf-8'

/**
 * Serializes the result of an operation.
 *
 * @throws {MockContractError} When the response violates the contract.
 */
export const writeResponse = (named: NamedRoute, result: Reply<number, unknown>): WrittenResponse => {
  checkResponse(named, result.status, result.body)
  const hasBody = result.body !== undefined
  return {
    status: result.status,
    headers: { ...result.headers, ...(hasBody ? { 'Content-Type': json } : {}) },
    text: hasBody ? JSON.stringify(result.body) : undefined,
    ...(result.replayedBody === undefined ? {} : { replayedText: JSON.stringify(result.replayedBody) }),
    ...(result.replayHeaders === undefined ? {} : { replayHeaders: result.replayHeaders }),
  }
}

/**
 * Serializes a problem.
 *
 * @param named The operation; omitted for an unknown path or method.
 * @throws {MockContractError} When the operation does not declare the problem.
 */
export const writeProblem = (error: ApiError, requestId: string, named?: NamedRoute): WrittenResponse => {
  const { status, headers } = error
  const body = toProblem(error, requestId)
  if (named) checkResponse(named, status, body)
  return { status, headers: { ...headers, 'Content-Type': `${problemMediaType}; charset=utf-8` }, text: JSON.stringify(body) }
}

/**
 * Creates the response for a status fault. If the operation declares a matching problem, the response is that problem.
 * Otherwise, the response is an HTML page, like one from a proxy.
 */
export const writeStatusFault = ({ status, code, retryAfter }: StatusFault, requestId: string, named: NamedRoute): WrittenResponse => {
  const headers: Record<string, string> = retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) }
  const problemCode = named.route.metadata.problems.find((declared) =>
    code === undefined ? problems[declared].status === status : declared === code,
  )
  if (problemCode) return writeProblem(new ApiError(problemCode, 'A fault injected by the test.', { headers }), requestId, named)
  return {
    status,
    headers: { ...headers, 'Content-Type': 'text/html; charset=utf-8' },
    text: `<html><body><h1>${status}</h1></body></html>`,
  }
}

/** The headers of every response. */
const defaultHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
}

const stalled = new WeakSet<Response>()

/** Returns whether a response has the fault `stalledBody`: its body stops halfway and never ends. */
export const isStalled = (response: Response): boolean => stalled.has(response)

const createStalledBody = (text: string, signal: AbortSignal): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start: (controller) => {
      controller.enqueue(new TextEncoder().encode(text))
      signal.addEventListener('abort', () => controller.error(signal.reason), { once: true })
    },
  })

/** Converts a serialized response to a `Response`. */
export const toResponse = (
  serialized: WrittenResponse & { readonly isStalled?: boolean },
  request: { readonly method: string; readonly requestId: string; readonly signal: AbortSignal },
): Response => {
  const headers = { ...defaultHeaders, 'X-Request-Id': request.requestId, ...serialized.headers }
  const text = request.method === 'HEAD' ? undefined : serialized.text
  const body = text === undefined ? null : serialized.isStalled ? createStalledBody(text, request.signal) : text
  const response = new Response(body, { status: serialized.status, headers })
  if (serialized.isStalled) stalled.add(response)
  return response
}
