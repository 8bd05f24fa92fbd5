/** The limits of a batcher. */
export interface BatchLimits {
  /** The maximum number of batches in flight. */
  readonly concurrency: number
  /** The maximum number of items in a batch. */
  readonly items: number
  /** The maximum total {@link BatchItem.size} in a batch. A batch with a single item may exceed it. */
  readonly size: number
  /**
   * Whether a batch that is not full waits for the items of requests that have already arrived. The batch then starts after the
   * first turn of the event loop that adds no item. Set this option if `run` blocks the thread. Otherwise, these requests would
   * have to wait until `run` has finished. @default false
   */
  readonly drainsEventLoop?: boolean
}

/** An item in a batch. */
export interface BatchItem {
  readonly size: number
}

// While a batch is in flight, the next batch starts only when the number of waiting items is at least this share of
// `recentMax`, or after `maxDelayMs`. Otherwise, a batch could start with only a few items. Suppose that `concurrency` is 2, two
// batches are in flight, and one of them finishes. Its clients then send their next requests almost at the same time. The first
// few of these requests would start a small batch at once. The others would have to wait until one of the two batches finishes.
const minShare = 1 / 3
// The factor by which `recentMax` decays with each batch.
const decay = 0.98
const maxDelayMs = 5

/**
 * Creates a batcher (group commit): items that are added while a batch is in flight share the next batch. When no batch
 * is in flight, a batch starts at the end of the current event loop turn. Otherwise, the next batch starts when enough
 * items are waiting (see `minShare`), or after 5 ms.
 * @param run processes a batch and returns one result per item, in order. If `run` rejects, all items in the batch
 * reject.
 * @returns a function that adds an item and resolves with its result.
 */
export const createBatcher = <Item extends BatchItem, Result>(
  limits: BatchLimits,
  run: (batch: readonly Item[]) => Promise<readonly Result[]>,
): ((item: Item) => Promise<Result>) => {
  let waiting: { readonly item: Item; readonly done: PromiseWithResolvers<Result> }[] = []
  let batchesInFlight = 0
  let itemsInFlight = 0
  // The highest recent number of items that were waiting or in flight.
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
