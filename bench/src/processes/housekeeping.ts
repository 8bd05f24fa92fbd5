/** Remembers what must be undone, and undoes it in reverse, whatever happened. */
export interface Housekeeping {
  /** Remembers a step. */
  readonly later: (undo: () => Promise<unknown>) => void
  /**
   * Undoes everything; a step that fails does not keep the others from it. Whoever calls while it is under way waits
   * for the same end. Rejects with the first failure.
   */
  readonly undoAll: () => Promise<void>
}

export const createHousekeeping = (): Housekeeping => {
  const steps: (() => Promise<unknown>)[] = []
  let underWay: Promise<void> | undefined

  const undo = async (): Promise<void> => {
    const failures: unknown[] = []
    for (let step = steps.pop(); step; step = steps.pop()) await step().catch((error: unknown) => failures.push(error))
    if (failures.length > 0) throw failures[0]
  }

  return {
    later: (step) => void steps.push(step),
    undoAll: () => {
      underWay ??= undo().finally(() => {
        underWay = undefined
      })
      return underWay
    },
  }
}
