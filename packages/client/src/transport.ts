import { readAnswer, readText } from './answer.ts'
import { inBrowser } from './config.ts'
import { type CallContext, failure, failureOfEnd } from './context.ts'
import { type AttemptRecord, FlowpostError } from './errors.ts'
import { redact, redactError } from './redact.ts'
import { prepareRequest, type RequestParts, randomId, serverWaitMs } from './request.ts'
import type { WithResponse } from './results.ts'
import { backoffMs, isRetryable } from './retry.ts'

type Writable<T> = { -readonly [Key in keyof T]: T[Key] }

/**
 * Sends a request until it is answered, as the deadline of the call and `maxRetries` allow.
 * A pause that would outlast the deadline is not begun: the call fails at once with what went wrong.
 */
export const send = async (context: CallContext, parts: RequestParts): Promise<WithResponse<unknown>> => {
  const { config, telemetry, operation, options, lifetime, attempts } = context
  const { route } = parts
  const { method, path } = route
  const { url, headers, init } = prepareRequest(context, parts)
  const waitMs = serverWaitMs(parts)
  const attemptTimeout = options.attemptTimeout ?? Math.max(config.attemptTimeout, waitMs && waitMs + 5_000)

  for (let retry = 0, delayMs = 0; ; retry++) {
    lifetime.check()
    const record: Writable<AttemptRecord> = { status: undefined, delayMs, requestId: undefined }
    attempts.push(record)
    const event = { operation, method, path, attempt: retry + 1 }
    const startedAt = config.clock.now()
    // Until there is a token: a text that no other holds.
    let token = '\0'
    let hasToken = false

    const exchange = async (signal: AbortSignal) => {
      const shown = new Headers(headers)
      // An attempt that is never answered can be found in the server's log by this.
      if (!inBrowser() && !shown.has('x-request-id')) shown.set('x-request-id', randomId())
      telemetry.request({ ...event, headers: shown })
      record.requestId = shown.get('x-request-id') ?? undefined
      token = await config.credential()
      hasToken = true
      signal.throwIfAborted()
      // A copy, because hooks may have kept the headers.
      const sent = new Headers(shown)
      sent.set('authorization', `Bearer ${token}`)
      // Looked up now, not when the client was made: whatever replaces `fetch` later must be seen.
      const fetch = config.fetch ?? globalThis.fetch
      // A followed redirect would lose the body or the credential.
      const response = await fetch(url, { ...init, headers: sent, signal, redirect: 'manual' })
      signal.throwIfAborted()
      record.status = response.status
      record.requestId = redact(response.headers.get('x-request-id') ?? record.requestId ?? '', token) || undefined
      const text = await readText(response)
      signal.throwIfAborted()
      telemetry.deprecation(operation, response.headers)
      const data = readAnswer(context, response, text, route, sent.has('if-none-match'), token)
      return data instanceof FlowpostError ? data : { data, response, requestId: record.requestId }
    }
    const outcome = await lifetime.within(attemptTimeout, exchange).catch((thrown: unknown) => {
      if (lifetime.end()) return failureOfEnd(context)
      const cause = redactError(thrown, token)
      return hasToken
        ? failure(context, 'connection_failed', `the connection failed: ${describe(cause)}`, { cause })
        : failure(context, 'credential_failed', `apiKey gave no token: ${describe(cause)}`, { cause })
    })

    const error = outcome instanceof FlowpostError ? outcome : undefined
    if (error) delayMs = Math.max(error.retryAfterMs ?? 0, backoffMs(retry, config.random()))
    const again =
      error &&
      !lifetime.end() &&
      !(retry >= ((options.maxRetries ?? config.maxRetries) as number)) &&
      isRetryable(error.status, error.code, route) &&
      delayMs < lifetime.remainingMs()
    telemetry.result({
      ...event,
      ...record,
      durationMs: Math.round(config.clock.now() - startedAt),
      error,
      retryInMs: again ? delayMs : undefined,
    })
    if (!error) return outcome as WithResponse<unknown>
    if (!again) {
      lifetime.check()
      throw error
    }
    await lifetime.sleep(delayMs)
  }
}

/** `fetch failed` says nothing; what is underneath it does. */
const describe = (error: unknown): unknown => {
  const { cause, message } = Object(error) as Error
  return (cause as Error | undefined)?.message || message || error
}
