/** A bounded set of hashes. Each hash can expire. When the set is full, the least recently added hash is removed. */
export interface BoundedSet {
  /** Returns whether a hash is in the set and has not expired. */
  has(hash: string): boolean
  /** Adds a hash, or moves it to the most recent position. */
  add(hash: string): void
  delete(hash: string): void
}

/**
 * Creates an empty set.
 * @param options.ttlMs how long a hash stays in the set, in milliseconds of wall-clock time. @default unlimited
 */
export const createBoundedSet = ({ size, ttlMs = Number.POSITIVE_INFINITY }: { size: number; ttlMs?: number }): BoundedSet => {
  const expiresAtMs = new Map<string, number>()
  return {
    has: (hash) => (expiresAtMs.get(hash) ?? 0) > Date.now(),
    add: (hash) => {
      expiresAtMs.delete(hash)
      expiresAtMs.set(hash, Date.now() + ttlMs)
      const [oldest] = expiresAtMs.keys()
      if (expiresAtMs.size > size && oldest !== undefined) expiresAtMs.delete(oldest)
    },
    delete: (hash) => void expiresAtMs.delete(hash),
  }
}
