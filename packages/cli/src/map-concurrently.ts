/**
 * Maps items with at most `limit` calls at the same time. The results have the order of the items. Rejects with the first error.
 */
export const mapConcurrently = async <Item, Result>(
  items: readonly Item[],
  limit: number,
  map: (item: Item) => Promise<Result>,
): Promise<Result[]> => {
  const results: Result[] = []
  // The workers share the iterator, so each takes the next item when it is free.
  const entries = items.entries()
  const work = async () => {
    for (const [index, item] of entries) results[index] = await map(item)
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, work))
  return results
}
