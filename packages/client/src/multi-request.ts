import { type CallContext, createFailure } from './calls/call-context.ts'
import { maxTimerMs } from './calls/call-deadline.ts'
import type { FlowpostError } from './errors.ts'
import { send } from './http/send.ts'
import type { WithResponse } from './results.ts'
import type { Route } from './route.ts'

/** Maximum number of read-modify-write rounds before an update fails with `etag_mismatch`. */
const maxRounds = 5

type Fields = Record<string, unknown>

/**
 * Reads a resource, passes it to `change`, and writes the result with `If-Match`.
 * Starts over after a concurrent change, unless the caller set `ifMatch`. `route` must have `fields`.
 */
export const updateResource = async (
  context: CallContext,
  route: Route,
  ids: readonly unknown[],
  change: (current: unknown) => unknown,
): Promise<WithResponse<unknown>> => {
  const { options, deadline, attempts } = context
  const { path, fields } = route as Required<Route>
  let unconfirmed: Fields | undefined
  for (let round = 1; ; round++) {
    const read = await send({ ...context, options: { ...options, ifMatch: undefined } }, { route: { path }, ids })
    const current = read.data as Fields
    // The first attempt of the previous write may have succeeded although the response was lost. The retry then failed with
    // `etag_mismatch`. In this case, `current` already has the written values, and the update is complete.
    if (unconfirmed && normalize({ ...current, ...unconfirmed }) === normalize(current)) return read
    const ifMatch = options.ifMatch ?? read.response.headers.get('etag')
    if (!ifMatch) throw createFailure(context, 'unexpected_response', 'the response has no ETag; does a proxy strip it?')
    // The caller's function has no time limit other than the call's deadline.
    const next = (await deadline.run(maxTimerMs, async () => change(current))) as Fields | undefined
    const body = Object.fromEntries(fields.map((field) => [field, next?.[field]]).filter(([, value]) => value !== undefined))
    const attemptsBefore = attempts.length
    try {
      return await send({ ...context, options: { ...options, ifMatch } }, { route, ids, body })
    } catch (error) {
      if ((error as FlowpostError).code !== 'etag_mismatch' || options.ifMatch !== undefined || round === maxRounds) throw error
      unconfirmed = attempts.length > attemptsBefore + 1 ? body : undefined
    }
  }
}

// Trims strings, converts them to NFC and removes duplicates from arrays before the comparison, because the server does the same
// with names, descriptions, targets and event types. Templates are compared exactly, because the server stores them unchanged.
const normalize = (value: unknown): string =>
  JSON.stringify(value, (key, part) =>
    typeof part === 'string' && key !== 'message_template' ? part.trim().normalize() : Array.isArray(part) ? [...new Set(part)] : part,
  )

/** A request to repeat, and the conditions for stopping. */
interface Poll {
  readonly route: Route
  readonly ids?: readonly unknown[]
  readonly params?: object
  /** Returns whether a response ends the poll. */
  readonly isDone: (data: never) => unknown
  /** Returns whether the poll continues after an error. */
  readonly isTemporary?: (error: FlowpostError) => boolean
}

/**
 * Repeats a request until `isDone` accepts its response. Uses long polling (the query parameter `wait`) if the route
 * supports it.
 *
 * If a long poll and its retries fail with 429, the server may have too many open long polls. The next requests therefore omit
 * `wait`. If a request without `wait` also fails, long polls were probably not the cause, and `wait` is used again.
 *
 * Between two requests, the function sleeps for a random time: at least half of a delay, and at most the whole delay. The delay
 * is 250 ms after the first request and doubles after each further request, up to 5 s. If an error has a longer `Retry-After`,
 * the function sleeps for that time instead. After a successful long poll that took its whole `wait`, it does not sleep.
 */
export const poll = async (context: CallContext, { route, ids = [], params, isDone, isTemporary }: Poll): Promise<unknown> => {
  const { deadline, config, attempts } = context
  let canWait = true
  for (let delayMs = 250; ; delayMs = Math.min(5_000, delayMs * 2)) {
    attempts.length = 0
    const startedAt = config.clock.now()
    // At most 25 s, because proxies commonly close a connection that is idle for 30 s.
    const wait = canWait ? Math.min(route.wait ?? 0, 25, Math.floor(deadline.remainingMs() / 1000)) : 0
    let pauseMs = 0
    const result = await send(context, { route, ids, params: { ...params, wait: wait || undefined } }).catch((error: FlowpostError) => {
      deadline.throwIfAborted()
      canWait = wait < 1 || error.status !== 429
      pauseMs = error.retryAfterMs ?? 0
      if (!isTemporary?.(error) && (canWait || pauseMs >= deadline.remainingMs())) throw error
    })
    if (result && isDone(result.data as never)) return result.data
    // Sleeps, except after a successful long poll that took its whole `wait`. The sleep is partly random, so that clients that
    // started together do not poll together.
    if (!result || wait < 1 || config.clock.now() - startedAt < wait * 1000)
      await deadline.sleep(Math.max(pauseMs, delayMs * (0.5 + config.random() / 2)))
  }
}
