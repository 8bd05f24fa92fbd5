/** Work that repeats, one run at a time. */
export interface PeriodicTask {
  /** Runs now, and then once per interval. An interval is skipped if a run is still in flight. */
  start(): void
  /** Runs now, unless a run is in flight or the task was stopped. */
  runNow(): void
  /** Starts no more runs, and waits for the run in flight, if any. */
  stop(): Promise<void>
}

/** The options of {@link createPeriodicTask}. */
export interface PeriodicTaskOptions {
  readonly everyMs: number
  /** Performs one run. `signal` aborts when the task is stopped, so that a long run can end early. */
  readonly run: (signal: AbortSignal) => Promise<void>
  /** Called with the error of a run that failed. Later runs still take place. */
  readonly onError: (error: unknown) => void
}

/** Creates a task without starting it. Its timer does not keep the process alive. */
export const createPeriodicTask = ({ everyMs, run, onError }: PeriodicTaskOptions): PeriodicTask => {
  const stopping = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined

  const runOnce = (): void => {
    if (stopping.signal.aborted) return
    running ??= run(stopping.signal)
      .catch(onError)
      .finally(() => {
        running = undefined
      })
  }

  return {
    runNow: runOnce,
    start: () => {
      runOnce()
      timer = setInterval(runOnce, everyMs).unref()
    },
    stop: async () => {
      stopping.abort()
      clearInterval(timer)
      await running
    },
  }
}
