/** The time of a mock. It stands still until it is advanced, or until somebody waits for something. */
export interface MockClock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Runs `callback` once when `delayMs` milliseconds have passed, unless the function that it returns is called before. */
  schedule(callback: () => void, delayMs: number): () => void
  /**
   * Lets `ms` milliseconds pass and does what is due, in order, what comes of it included: deliveries, retries, and
   * pauses of clients that use this clock.
   */
  advance(ms: number): Promise<void>
}

/** The clock as the mock itself uses it. */
export interface OwnClock extends MockClock {
  /** As `schedule`, for something that somebody waits for: by itself it makes the time pass, unless that is manual. */
  hold(callback: () => void, delayMs: number): () => void
  /** Tells that something goes on that needs no time, so that none may pass. To be called once it is done. */
  busy(): () => void
  /** Forgets every timer and goes back to where it began. */
  reset(): void
}

interface Timer {
  readonly dueAt: number
  readonly isAwaited: boolean
  readonly callback: () => void
}

// Taken now, so that fake timers which a test installs later do not stop the mock.
const { setTimeout, setImmediate } = globalThis as Pick<typeof globalThis, 'setTimeout'> & {
  setImmediate?: (callback: () => void) => unknown
}
const turn = (): Promise<void> => new Promise((resolve) => void (setImmediate ? setImmediate(resolve) : setTimeout(resolve, 0)))

// What follows from a timer may take some turns of the event loop, such as the reading of a body.
const turnsToSettle = 3

/** Makes a clock that stands at `startMs`. */
export const createClock = (options: { startMs: number; isManual: boolean }): OwnClock => {
  let now = options.startMs
  let busyCount = 0
  let isPassing = false
  const timers = new Set<Timer>()

  const dueFirst = (untilMs: number): Timer | undefined => {
    let first: Timer | undefined
    for (const timer of timers) if (timer.dueAt <= untilMs && (!first || timer.dueAt < first.dueAt)) first = timer
    return first
  }

  const settle = async (): Promise<void> => {
    for (let quiet = 0; quiet < turnsToSettle; quiet = busyCount > 0 ? 0 : quiet + 1) await turn()
  }

  const fire = (timer: Timer): void => {
    timers.delete(timer)
    now = Math.max(now, timer.dueAt)
    timer.callback()
  }

  const isAwaited = (): boolean => {
    for (const timer of timers) if (timer.isAwaited) return true
    return false
  }

  /** While somebody waits and nothing else can happen, goes from one thing that is due to the next. */
  const pass = async (): Promise<void> => {
    isPassing = true
    for (;;) {
      await settle()
      const next = isAwaited() ? dueFirst(Number.POSITIVE_INFINITY) : undefined
      if (!next) break
      fire(next)
    }
    isPassing = false
  }

  const add = (timer: Timer) => {
    timers.add(timer)
    if (timer.isAwaited && !options.isManual && !isPassing) void pass()
    return () => void timers.delete(timer)
  }

  return {
    now: () => now,
    schedule: (callback, delayMs) => add({ dueAt: now + delayMs, isAwaited: false, callback }),
    hold: (callback, delayMs) => add({ dueAt: now + delayMs, isAwaited: true, callback }),
    advance: async (ms) => {
      const until = now + ms
      await settle()
      for (let timer = dueFirst(until); timer; timer = dueFirst(until)) {
        fire(timer)
        await settle()
      }
      now = Math.max(now, until)
    },
    busy: () => {
      let isBusy = true
      busyCount += 1
      return () => {
        if (isBusy) busyCount -= 1
        isBusy = false
      }
    },
    reset: () => {
      timers.clear()
      now = options.startMs
    },
  }
}
