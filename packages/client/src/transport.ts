import { type AttemptState, makeAttempt } from './attempt.ts'
import type { CallContext } from './context.ts'
import { type AttemptRecord, FlowpostError } from './errors.ts'
import { prepareRequest, type RequestParts, serverWaitMs } from './request.ts'
import type { WithResponse } from './results.ts'
import { backoffMs, isRetryable } from './retry.ts'

/**
 * Sends a request, as often as it takes and as the deadline of the call allows.
 * A pause that would outlast the deadline is not begun: the call fails at once with what went wrong.
 */
export const send = async (context: CallContext, parts: RequestParts): Promise<WithResponse<unknown>> => {
  const { config, telemetry, operation, options, lifetime, attempts } = context
  const { method, path, idempotent, repeatable } = parts.route
  const request = prepareRequest(context, parts)
  const maxRetries = options.maxRetries ?? config.maxRetries
  const waitMs = serverWaitMs(parts)
  const attemptTimeout = options.attemptTimeout ?? (waitMs ? Math.max(config.attemptTimeout, waitMs + 5_000) : config.attemptTimeout)

  for (let retry = 0, delayMs = 0; ; retry++) {
    lifetime.check()
    const record: AttemptRecord & AttemptState = { status: undefined, delayMs, requestId: undefined }
    attempts.push(record)
    const event = { operation, method, path, attempt: retry + 1 }
    const startedAt = config.clock.now()
    const announce = (headers: Headers) => telemetry.request({ ...event, headers })
    const outcome = await makeAttempt(context, parts.route, request, attemptTimeout, record, announce)

    const error = outcome instanceof FlowpostError ? outcome : undefined
    if (error) delayMs = Math.max(error.retryAfterMs ?? 0, backoffMs(retry, config.random()))
    const again =
      error &&
      !lifetime.end() &&
      retry < maxRetries &&
      isRetryable(error.status, error.code, method !== 'POST' || Boolean(idempotent || repeatable)) &&
      delayMs < lifetime.remainingMs()
    telemetry.result({ ...event, ...record, durationMs: config.clock.now() - startedAt, error, retryInMs: again ? delayMs : undefined })
    if (!error) return outcome as WithResponse<unknown>
    if (!again) {
      lifetime.check()
      throw error
    }
    await lifetime.sleep(delayMs)
  }
}
