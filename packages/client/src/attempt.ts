import { readAnswer } from './answer.ts'
import { inBrowser } from './config.ts'
import { type CallContext, failure, failureOfEnd } from './context.ts'
import type { ErrorCode, FlowpostError } from './errors.ts'
import { type PreparedRequest, randomId } from './request.ts'
import type { WithResponse } from './results.ts'
import { retryAfterMs } from './retry.ts'
import type { Route } from './route.ts'

/** What is to be known of an attempt while it is made. */
export interface AttemptState {
  status: number | undefined
  requestId: string | undefined
}

/**
 * Makes one attempt, with a signal of its own and at most `timeoutMs` milliseconds.
 * Gives its answer, or says why there is none; also when it is because the whole call must end.
 *
 * @param state Is written as the attempt goes on.
 * @param announce Is shown the headers before they are sent, without the credential, and may add to them.
 */
export const makeAttempt = async (
  context: CallContext,
  route: Route,
  request: PreparedRequest,
  timeoutMs: number,
  state: AttemptState,
  announce: (headers: Headers) => void,
): Promise<WithResponse<unknown> | FlowpostError<ErrorCode | 'aborted'>> => {
  const { config, lifetime, telemetry } = context
  let token = ''
  const exchange = async (signal: AbortSignal) => {
    const shown = new Headers(request.headers)
    // An attempt that is never answered can be found in the server's log by this.
    if (!inBrowser() && !shown.has('x-request-id')) shown.set('x-request-id', randomId())
    announce(shown)
    state.requestId = shown.get('x-request-id') ?? undefined
    token = await config.credential()
    signal.throwIfAborted()
    // A copy, because whoever was shown the headers may have kept them.
    const headers = new Headers(shown)
    headers.set('authorization', `Bearer ${token}`)
    // Looked up now, not when the client was made: whatever replaces `fetch` later must be seen.
    const fetch = config.fetch ?? globalThis.fetch
    // A followed redirect would lose the body or the credential.
    const response = await fetch(request.url, { ...request.init, headers, signal, redirect: 'manual' })
    signal.throwIfAborted()
    state.status = response.status
    state.requestId = response.headers.get('x-request-id') ?? state.requestId
    const text = await response.text()
    signal.throwIfAborted()
    telemetry.deprecation(context.operation, response.headers)
    const reading = readAnswer(response.status, text, route, headers.has('if-none-match'), token)
    if ('data' in reading) return { data: reading.data, response, requestId: state.requestId }
    return failure(context, reading.message, { ...reading.failure, retryAfterMs: retryAfterMs(response.headers, config.clock.now()) })
  }
  try {
    return await lifetime.within(timeoutMs, exchange)
  } catch (cause) {
    if (lifetime.end()) return failureOfEnd(context)
    return token
      ? failure(context, `the connection failed: ${describe(cause)}`, { code: 'connection_failed', cause })
      : failure(context, `apiKey gave no token: ${describe(cause)}`, { code: 'credential_failed', cause })
  }
}

/** `fetch failed` says nothing; what is underneath it does. */
const describe = (error: unknown): string => {
  const { cause, message } = error as Error
  return (cause as Error | undefined)?.message || message
}
