/** A list of steps to run at the end, in reverse order. */
export interface Cleanup {
  /** Adds a step. */
  readonly defer: (step: () => Promise<unknown>) => void
  /** Runs every step once, even if another step fails. Rejects with the first failure. Concurrent calls share one run. */
  readonly cleanUp: () => Promise<void>
}

/** Creates an empty list of steps. */
export const createCleanup = (): Cleanup => {
  const steps: (() => Promise<unknown>)[] = []
  let running: Promise<void> | undefined

  const runSteps = async (): Promise<void> => {
    const failures: unknown[] = []
    for (let step = steps.pop(); step; step = steps.pop()) await step().catch((error: unknown) => failures.push(error))
    if (failures.length > 0) throw failures[0]
  }

  return {
    defer: (step) => void steps.push(step),
    cleanUp: () => {
      running ??= runSteps().finally(() => {
        running = undefined
      })
      return running
    },
  }
}
