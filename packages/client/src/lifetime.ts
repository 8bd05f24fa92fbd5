import type { Clock } from './clock.ts'

/** How long a piece of work may take: until its time is up, or until somebody aborts it. */
export interface Lifetime {
  /** Aborts when the work must stop. Made for this work alone, so that nothing after it sees a dead signal. */
  readonly signal: AbortSignal
  /** Whether the work was stopped because its own time was up. */
  expired(): boolean
  /** Milliseconds that are left. */
  remainingMs(): number
  /** Stops the work with a reason. */
  abort(reason: unknown): void
  /** Settles as `work` does, or rejects with the abort reason as soon as there is one, even when `work` ignores the signal. */
  race<T>(work: PromiseLike<T>): Promise<T>
  /** Waits, or rejects with the abort reason. */
  sleep(delayMs: number): Promise<void>
  /** Lets go of the timer and of the parent's signal. */
  end(): void
}

/** Starts a lifetime that ends after `timeoutMs` milliseconds or with `parent`, whichever is first. */
export const startLifetime = (clock: Clock, timeoutMs: number, parent?: AbortSignal): Lifetime => {
  const controller = new AbortController()
  const { signal } = controller
  const expiresAt = clock.now() + timeoutMs
  // Made when it is needed, because its stack trace costs more than all the rest.
  let timeUp: Error | undefined
  const stopTimer = clock.schedule(() => {
    timeUp = new Error('The time is up.')
    controller.abort(timeUp)
  }, timeoutMs)
  const follow = () => controller.abort(parent?.reason)
  if (parent?.aborted) follow()
  else parent?.addEventListener('abort', follow)

  const race = <T>(work: PromiseLike<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      const stop = () => reject(signal.reason)
      if (signal.aborted) stop()
      else signal.addEventListener('abort', stop)
      const settled = () => signal.removeEventListener('abort', stop)
      work.then(resolve, reject).then(settled)
    })

  return {
    signal,
    expired: () => signal.aborted && signal.reason === timeUp,
    remainingMs: () => expiresAt - clock.now(),
    abort: (reason) => controller.abort(reason),
    race,
    sleep: (delayMs) => {
      let stop = () => {}
      const wake = new Promise<void>((resolve) => {
        stop = clock.schedule(resolve, delayMs)
      })
      return race(wake).finally(stop)
    },
    end: () => {
      stopTimer()
      parent?.removeEventListener('abort', follow)
    },
  }
}
