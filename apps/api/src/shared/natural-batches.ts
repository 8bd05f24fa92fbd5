/** How large batches get. */
export interface BatchLimits {
  /** How many batches may be under way at a time. */
  readonly atATime: number
  readonly items: number
  /** As {@link BatchItem.size} counts. One item alone may be larger. */
  readonly size: number
}

/** Something that a batch can take. */
export interface BatchItem {
  readonly size: number
}

/**
 * Puts together what comes while others are under way. There is no timer: what comes alone begins at the end of the
 * present turn of the event loop.
 * @param run does the work of a batch; when it rejects, all items of the batch do.
 * @returns a function that adds an item and resolves when its batch is done.
 */
export const createNaturalBatches = <Item extends BatchItem>(
  limits: BatchLimits,
  run: (batch: readonly Item[]) => Promise<void>,
): ((item: Item) => Promise<void>) => {
  let waiting: { readonly item: Item; readonly done: PromiseWithResolvers<void> }[] = []
  let underWay = 0
  let beginning = false

  const take = () => {
    let size = 0
    const count = waiting.findIndex(({ item }, position) => {
      size += item.size
      return position === limits.items || (position > 0 && size > limits.size)
    })
    const taken = count === -1 ? waiting : waiting.slice(0, count)
    waiting = count === -1 ? [] : waiting.slice(count)
    return taken
  }

  const begin = (): void => {
    beginning = false
    while (waiting.length > 0 && underWay < limits.atATime) {
      const taken = take()
      underWay += 1
      run(taken.map(({ item }) => item))
        .then(
          () => {
            for (const { done } of taken) done.resolve()
          },
          (error: unknown) => {
            for (const { done } of taken) done.reject(error)
          },
        )
        .finally(() => {
          underWay -= 1
          schedule()
        })
    }
  }

  const schedule = (): void => {
    if (beginning || waiting.length === 0) return
    beginning = true
    setImmediate(begin)
  }

  return (item) => {
    const done = Promise.withResolvers<void>()
    waiting.push({ item, done })
    if (underWay < limits.atATime) schedule()
    return done.promise
  }
}
