import { setTimeout as sleep } from 'node:timers/promises'
import type { FlowpostEvent } from '@flowpost/client/events'
import { signEvent } from '@flowpost/client/events'
import type { Io } from '../io.ts'

/** The outcome of one request to a receiver. */
export interface Response {
  readonly status: number | undefined
  /** The reason for a missing response. */
  readonly reason: string | undefined
  readonly durationMs: number
}

/** The result of forwarding an event: `gave_up` after `retryMs` without success, `gone` after a 410. */
export type ForwardResult = 'accepted' | 'gave_up' | 'gone'

interface ForwardOptions {
  readonly url: string
  readonly secret: string
  /** How long to retry a failing event, in milliseconds. */
  readonly retryMs: number
  readonly io: Pick<Io, 'fetch' | 'now' | 'signal'>
  /** Returns a random number in the range [0, 1), for jitter. */
  readonly random: () => number
  /** Receives each response, and the milliseconds until the next request, if there is one. */
  readonly onResponse: (response: Response, waitMs: number | undefined) => void
}

/** Time limit of a request in milliseconds, the same as on the server. */
const timeoutMs = 15_000
const initialWaitMs = 500
const maxWaitMs = 30_000
/** Node's longest timer, about 25 days. Node reduces a longer one to 1 ms. */
const maxTimerMs = 2 ** 31 - 1

/** Parses `Retry-After` as seconds or a date (RFC 9110, section 10.2.3). Returns the delay in milliseconds. */
const parseRetryAfter = (value: string, now: number): number | undefined => {
  const delayMs = /^\d+(?:\.\d+)?$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - now
  return Number.isFinite(delayMs) ? Math.max(delayMs, 0) : undefined
}

const send = async (
  event: FlowpostEvent,
  { url, secret, io }: ForwardOptions,
): Promise<Response & { readonly retryAfterMs?: number | undefined }> => {
  const startedAt = io.now()
  const body = JSON.stringify(event)
  try {
    const response = await io.fetch(url, {
      method: 'POST',
      headers: { ...(await signEvent(body, { id: event.id, secret, now: startedAt })), 'user-agent': 'flowpost-cli' },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([io.signal, AbortSignal.timeout(timeoutMs)]),
    })
    await response.body?.cancel()
    return {
      status: response.status,
      reason: undefined,
      durationMs: io.now() - startedAt,
      retryAfterMs: parseRetryAfter(response.headers.get('retry-after') ?? '', io.now()),
    }
  } catch (error) {
    io.signal.throwIfAborted()
    const { name, cause, message } = error as Error
    const code = (cause as NodeJS.ErrnoException | undefined)?.code
    const reason = name === 'TimeoutError' ? `no response within ${timeoutMs / 1_000} s` : (code ?? message)
    return { status: undefined, reason, durationMs: io.now() - startedAt }
  }
}

/**
 * Signs an event as specified by Standard Webhooks, and sends it to a receiver. Retries with exponential backoff and full
 * jitter, and honors `Retry-After`. Stops after a status from 200 to 299, after a 410, or when the next retry would be later
 * than `retryMs` allows.
 */
export const forwardEvent = async (event: FlowpostEvent, options: ForwardOptions): Promise<ForwardResult> => {
  const { io, retryMs, random, onResponse } = options
  const deadline = io.now() + retryMs
  for (let attempt = 0; ; attempt++) {
    const { retryAfterMs, ...response } = await send(event, options)
    const { status = 0 } = response
    const isAccepted = status >= 200 && status < 300
    const backoffMs = random() * Math.min(maxWaitMs, initialWaitMs * 2 ** attempt)
    const waitMs = Math.max(backoffMs, retryAfterMs ?? 0)
    const isLast = isAccepted || status === 410 || io.now() + waitMs > deadline
    onResponse(response, isLast ? undefined : waitMs)
    if (isAccepted) return 'accepted'
    if (status === 410) return 'gone'
    if (isLast) return 'gave_up'
    for (let left = waitMs; left > 0; left -= maxTimerMs) await sleep(Math.min(left, maxTimerMs), undefined, { signal: io.signal })
  }
}
