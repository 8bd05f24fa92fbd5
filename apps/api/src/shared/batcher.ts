/** The limits of a batcher. */
export interface BatchLimits {
  /** How many batches may be in flight at a time. */
  readonly concurrency: number
  /** The most items of a batch. */
  readonly items: number
  /** The most of {@link BatchItem.size} in a batch. A single item may be larger. */
  readonly size: number
  /**
   * Whether to cut a batch only after a turn of the event loop has added nothing to it. For work that blocks this thread, so
   * that one run of it serves every request that is ready.
   * @default false
   */
  readonly drainsEventLoop?: boolean
}

/** An item of a batch. */
export interface BatchItem {
  readonly size: number
}

// A further batch begins when this share of the recent maximum is waiting: the requests of one batch return together when
// it is answered, and the first few of them would otherwise take the place of all.
const minShare = 1 / 3
// How much of the recent maximum remains after each batch.
const decay = 0.98
const maxDelayMs = 5

/**
 * Creates a batcher (group commit): items that are added while batches are in flight share the next one. An item that is added
 * alone begins a batch at the end of the current turn of the event loop; while a batch is in flight, another one begins when
 * there is enough for it, or after 5 ms.
 * @param run runs a batch and returns a result for each item, in order; when it rejects, all items of the batch do.
 * @returns a function that adds an item and resolves with its result.
 */
export const createBatcher = <Item extends BatchItem, Result>(
  limits: BatchLimits,
  run: (batch: readonly Item[]) => Promise<readonly Result[]>,
): ((item: Item) => Promise<Result>) => {
  let waiting: { readonly item: Item; readonly done: PromiseWithResolvers<Result> }[] = []
  let batchesInFlight = 0
  let itemsInFlight = 0
  let recentMax = 0
  let scheduled = false
  let timer: NodeJS.Timeout | undefined

  const isEnough = (): boolean => batchesInFlight === 0 || waiting.length >= recentMax * minShare

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
    scheduled = false
    if (!isLate && !isEnough()) {
      timer ??= setTimeout(begin, maxDelayMs, true)
      return
    }
    clearTimeout(timer)
    timer = undefined
    while (waiting.length > 0 && batchesInFlight < limits.concurrency) {
      const taken = take()
      batchesInFlight += 1
      itemsInFlight += taken.length
      run(taken.map(({ item }) => item))
        .then(
          (results) => {
            for (const [position, { done }] of taken.entries()) done.resolve(results[position] as Result)
          },
          (error: unknown) => {
            for (const { done } of taken) done.reject(error)
          },
        )
        .finally(() => {
          batchesInFlight -= 1
          itemsInFlight -= taken.length
          recentMax *= decay
          schedule()
        })
    }
  }

  const afterTurn = (before: number): void => {
    if (limits.drainsEventLoop && waiting.length > before && waiting.length < limits.items) setImmediate(afterTurn, waiting.length)
    else begin()
  }

  const schedule = (): void => {
    if (scheduled || waiting.length === 0) return
    scheduled = true
    setImmediate(afterTurn, 0)
  }

  return (item) => {
    const done = Promise.withResolvers<Result>()
    waiting.push({ item, done })
    recentMax = Math.max(recentMax, waiting.length + itemsInFlight)
    if (batchesInFlight < limits.concurrency) schedule()
    return done.promise
  }
}
