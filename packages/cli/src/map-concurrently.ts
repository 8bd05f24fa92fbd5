/**
 * Maps items with at most `limit` concurrent calls. Returns the results in the order of the items. Rejects with the
 * first error.
 */
export const mapConcurrently = async <Item, Result>(
  items: readonly Item[],
  limit: number,
  map: (item: Item) => Promise<Result>,
): Promise<Result[]> => {
  const results: Result[] = []
  // The workers share the iterator, so a free worker takes the next item.
  const entries = items.entries()
  const work = async () => {
    for (const [index, item] of entries) results[index] = await map(item)
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, work))
  return results
}
