import type { Clock } from './clock.ts'

/**
 * How long a piece of work may take: until its time is up, or until somebody stops it.
 * Not an `AbortSignal`, whose listeners cost every call: only `fetch` needs one, so only parts of the work get one.
 */
export interface Lifetime {
  /** Why the work must stop, as soon as it must. */
  end(): { readonly reason: unknown; readonly expired: boolean } | undefined
  /** Milliseconds that are left. */
  remainingMs(): number
  /** Stops the work with a reason, unless it has been stopped before. */
  stop(reason: unknown): void
  /** @throws The reason, when the work must stop. */
  check(): void
  /**
   * Does a part of the work with a signal of its own, so that nothing after it sees a dead one. Parts come one after the other.
   * Rejects as soon as the work must stop or `timeoutMs` milliseconds have passed, even when `part` ignores the signal.
   */
  within<T>(timeoutMs: number, part: (signal: AbortSignal) => Promise<T>): Promise<T>
  /** Waits, or rejects with the reason. */
  sleep(delayMs: number): Promise<void>
  /** Lets go of the timer and of the parent. */
  close(): void
}

/** Starts a lifetime that ends after `timeoutMs` milliseconds or with `parent`, whichever is first. */
export const startLifetime = (clock: Clock, timeoutMs: number, parent?: AbortSignal): Lifetime => {
  const expiresAt = clock.now() + timeoutMs
  let end: ReturnType<Lifetime['end']>
  // Of the part that runs, or of the last one, which does not mind any more.
  let halt: ((reason: unknown) => void) | undefined
  const stop = (reason: unknown, expired = false) => {
    if (end) return
    end = { reason, expired }
    halt?.(reason)
  }
  const stopTimer = clock.schedule(() => stop(undefined, true), timeoutMs)
  const follow = () => stop(parent?.reason)
  if (parent?.aborted) follow()
  else parent?.addEventListener('abort', follow)

  const check = () => {
    if (end) throw end.reason
  }
  const within: Lifetime['within'] = (limitMs, part) =>
    new Promise((resolve, reject) => {
      check()
      const controller = new AbortController()
      const stopThis = (reason: unknown) => {
        stopLimit()
        reject(reason)
        controller.abort(reason)
      }
      const stopLimit = clock.schedule(() => stopThis(new Error(`nothing within ${limitMs} ms`)), limitMs)
      halt = stopThis
      part(controller.signal).then(resolve, reject).then(stopLimit)
    })

  return {
    end: () => end,
    remainingMs: () => expiresAt - clock.now(),
    stop,
    check,
    within,
    // Ends by its limit, which is no failure, or with the whole work.
    sleep: (delayMs) => within<void>(delayMs, () => new Promise(() => {})).catch(check),
    close: () => {
      stopTimer()
      parent?.removeEventListener('abort', follow)
    },
  }
}
