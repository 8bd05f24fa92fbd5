/** Remembers what must be undone, and undoes it in reverse, whatever happened. */
export interface Housekeeping {
  /** Remembers a step. */
  readonly later: (undo: () => Promise<unknown>) => void
  /** Undoes everything; a step that fails does not keep the others from it. Rejects with the first failure. */
  readonly undoAll: () => Promise<void>
}

export const createHousekeeping = (): Housekeeping => {
  const steps: (() => Promise<unknown>)[] = []
  return {
    later: (undo) => void steps.push(undo),
    undoAll: async () => {
      const failures: unknown[] = []
      for (let undo = steps.pop(); undo; undo = steps.pop()) await undo().catch((error: unknown) => failures.push(error))
      if (failures.length > 0) throw failures[0]
    },
  }
}
