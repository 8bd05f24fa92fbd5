import { LRUCache } from 'lru-cache'

/** Receives invalidations from all processes. An invalidation names a tag whose cached values are outdated. */
export interface InvalidationListener {
  /** Called for each invalidation. Removes the cached values that have this tag. */
  invalidate(tag: string): void
  /** Called when invalidations can no longer be received. */
  onDisconnect(): void
  /** Called when invalidations are received again, after some may have been missed. */
  onReconnect(): void
}

/** A value to cache, with the tags whose invalidation removes it. */
export interface CacheEntry<T> {
  readonly value: T
  readonly tags: readonly string[]
  /** The approximate size of the value, in bytes. */
  readonly bytes: number
}

/**
 * A cache for settings read from the database. An entry lives for at most a second and is removed as soon as one of its tags
 * is invalidated. While invalidations cannot be received, the cache stays empty, and every call loads its value.
 */
export interface Cache extends InvalidationListener {
  /** Returns the cached value, or loads and caches it. Concurrent calls share one load. `undefined` is not cached. */
  get<T>(key: string, load: () => Promise<CacheEntry<T> | undefined>): Promise<T | undefined>
}

type Entry = CacheEntry<unknown>
type Load = () => Promise<Entry | undefined>

/** A load in progress. */
interface Pending {
  /** The tags that were invalidated since the load started. */
  readonly invalidatedTags: Set<string>
  /** Whether invalidations may have been missed since the load started. */
  isStale: boolean
}

// The maximum age of a cached value. It bounds how long an outdated value stays in use if its invalidation is lost.
const maxAgeMs = 1_000
const maxBytes = 32 * 1_048_576
const maxEntryBytes = maxBytes / 16
const overheadBytes = 500

/**
 * Creates an empty cache.
 * @param deps.nowMs a monotonic clock, in milliseconds.
 */
export const createCache = (deps: { readonly nowMs: () => number }): Cache => {
  const keysByTag = new Map<string, Set<string>>()
  const pending = new Set<Pending>()
  const shared = new Map<string, Promise<Entry | undefined>>()
  let isConnected = false

  const entries = new LRUCache<string, Entry>({
    maxSize: maxBytes,
    maxEntrySize: maxEntryBytes,
    sizeCalculation: ({ bytes }) => bytes + overheadBytes,
    ttl: maxAgeMs,
    ttlResolution: 0,
    perf: { now: deps.nowMs },
    dispose: ({ tags }, key) => {
      for (const tag of tags) {
        const keys = keysByTag.get(tag)
        keys?.delete(key)
        if (keys?.size === 0) keysByTag.delete(tag)
      }
    },
  })

  const store = (key: string, entry: Entry, startedMs: number): void => {
    entries.set(key, entry, { start: startedMs })
    if (!entries.has(key)) return
    for (const tag of entry.tags) {
      const keys = keysByTag.get(tag)
      if (keys) keys.add(key)
      else keysByTag.set(tag, new Set([key]))
    }
  }

  const loadAndStore = async (key: string, load: Load): Promise<Entry | undefined> => {
    const loading: Pending = { invalidatedTags: new Set(), isStale: false }
    const startedMs = deps.nowMs()
    pending.add(loading)
    try {
      const entry = await load()
      const isCurrent = !loading.isStale && !entry?.tags.some((tag) => loading.invalidatedTags.has(tag))
      if (entry && isConnected && isCurrent) store(key, entry, startedMs)
      return entry
    } finally {
      pending.delete(loading)
    }
  }

  const share = (key: string, load: Load): Promise<Entry | undefined> => {
    const loading = loadAndStore(key, load).finally(() => {
      if (shared.get(key) === loading) shared.delete(key)
    })
    shared.set(key, loading)
    return loading
  }

  const clear = (): void => {
    entries.clear()
    // A load in progress may have read an outdated value whose invalidation was missed.
    for (const loading of pending) loading.isStale = true
    shared.clear()
  }

  return {
    get: async <T>(key: string, load: () => Promise<CacheEntry<T> | undefined>) => {
      const cached = entries.get(key)
      if (cached) return cached.value as T
      if (!isConnected) return (await load())?.value
      return (await (shared.get(key) ?? share(key, load)))?.value as T | undefined
    },
    invalidate: (tag) => {
      for (const key of keysByTag.get(tag) ?? []) entries.delete(key)
      for (const loading of pending) loading.invalidatedTags.add(tag)
      // Later calls must not share a load that started before the invalidation.
      shared.clear()
    },
    onDisconnect: () => {
      isConnected = false
      clear()
    },
    onReconnect: () => {
      isConnected = true
      clear()
    },
  }
}
