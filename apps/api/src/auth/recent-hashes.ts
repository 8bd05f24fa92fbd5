/** A bounded set of hashes that forgets the least recently added first. */
export interface RecentHashes {
  /** Whether a hash is in the set and its time is not over. */
  has(hash: string): boolean
  /** Adds a hash, or adds it again as the most recent. */
  add(hash: string): void
  delete(hash: string): void
}

/**
 * Creates an empty set.
 * @param options.keptMs How long a hash stays, in milliseconds by the wall clock. Default: until others take its place.
 */
export const createRecentHashes = ({ size, keptMs = Number.POSITIVE_INFINITY }: { size: number; keptMs?: number }): RecentHashes => {
  const untilMs = new Map<string, number>()
  return {
    has: (hash) => (untilMs.get(hash) ?? 0) > Date.now(),
    add: (hash) => {
      untilMs.delete(hash)
      untilMs.set(hash, Date.now() + keptMs)
      const [oldest] = untilMs.keys()
      if (untilMs.size > size && oldest !== undefined) untilMs.delete(oldest)
    },
    delete: (hash) => void untilMs.delete(hash),
  }
}
