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

// One more batch begins when this part of what was there lately has come: those of one batch come back together when it
// is answered, and the first few of them would otherwise take the place of all.
const leastPart = 1 / 3
// How much of the most that was there is remembered after each batch.
const fading = 0.98
const patienceMs = 5

/**
 * Puts together what comes while others are under way. What comes alone begins at the end of the present turn of the
 * event loop; what comes while a batch is under way begins another when there is enough of it, or after
 * {@link patienceMs}.
 * @param run does the work of a batch; when it rejects, all items of the batch do.
 * @returns a function that adds an item and resolves when its batch is done.
 */
export const createNaturalBatches = <Item extends BatchItem>(
  limits: BatchLimits,
  run: (batch: readonly Item[]) => Promise<void>,
): ((item: Item) => Promise<void>) => {
  let waiting: { readonly item: Item; readonly done: PromiseWithResolvers<void> }[] = []
  let underWay = 0
  let itemsUnderWay = 0
  let mostLately = 0
  let beginning = false
  let patience: NodeJS.Timeout | undefined

  const isEnough = (): boolean => underWay === 0 || waiting.length >= mostLately * leastPart

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

  const begin = (isLate = false): void => {
    beginning = false
    if (!isLate && !isEnough()) {
      patience ??= setTimeout(begin, patienceMs, true)
      return
    }
    clearTimeout(patience)
    patience = undefined
    while (waiting.length > 0 && underWay < limits.atATime) {
      const taken = take()
      underWay += 1
      itemsUnderWay += taken.length
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
          itemsUnderWay -= taken.length
          mostLately *= fading
          schedule()
        })
    }
  }

  const schedule = (): void => {
    if (beginning || waiting.length === 0) return
    beginning = true
    setImmediate(() => begin())
  }

  return (item) => {
    const done = Promise.withResolvers<void>()
    waiting.push({ item, done })
    mostLately = Math.max(mostLately, waiting.length + itemsUnderWay)
    if (underWay < limits.atATime) schedule()
    return done.promise
  }
}
