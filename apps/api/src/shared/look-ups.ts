import type { ChangeListener } from '../database/database.ts'

/** What was found, and what a change of which makes it untrue. */
export interface Found<T> {
  readonly value: T
  readonly topics: readonly string[]
  /** About how many bytes it takes. */
  readonly bytes: number
}

/**
 * Keeps what was looked up, for at most a second. What was changed is forgotten at once: see `database/changes.ts`.
 * While changes are not heard, nothing is kept.
 */
export interface LookUps extends ChangeListener {
  /** Gives what is kept under the key, or looks it up. Nothing is kept of what is not found. */
  get<T>(key: string, lookUp: () => Promise<Found<T> | undefined>): Promise<T | undefined>
}

interface Kept extends Found<unknown> {
  readonly untilMs: number
}

/** A look-up that is on its way, and what was changed since it began. */
interface Pending {
  readonly changed: Set<string>
  outdated: boolean
}

// The net under everything else: whatever is not heard, a change counts after this.
const longestMs = 1_000
const mostBytes = 32 * 1_048_576
const mostBytesEach = mostBytes / 16
// What an entry takes beside its value.
const overheadBytes = 500

/** Look-ups that keep nothing until {@link ChangeListener.regained} says that changes are heard. */
export const createLookUps = (deps: { nowMs: () => number }): LookUps => {
  const { nowMs } = deps
  // In the order in which they were looked up, which is that of their end.
  const kept = new Map<string, Kept>()
  const keysOf = new Map<string, Set<string>>()
  const pending = new Set<Pending>()
  const shared = new Map<string, Promise<Found<unknown> | undefined>>()
  let bytes = 0
  let hearing = false

  const forget = (key: string): void => {
    const entry = kept.get(key)
    if (!entry) return
    kept.delete(key)
    bytes -= entry.bytes + overheadBytes
    for (const topic of entry.topics) {
      const keys = keysOf.get(topic)
      keys?.delete(key)
      if (keys?.size === 0) keysOf.delete(topic)
    }
  }

  const forgetAll = (): void => {
    kept.clear()
    keysOf.clear()
    bytes = 0
    // What is on its way may have been read before what was missed.
    for (const each of pending) each.outdated = true
    shared.clear()
  }

  const makeRoom = (): void => {
    const now = nowMs()
    for (const [key, { untilMs }] of kept) {
      if (untilMs > now && bytes <= mostBytes) return
      forget(key)
    }
  }

  const keep = (key: string, found: Found<unknown>, untilMs: number): void => {
    if (found.bytes > mostBytesEach) return
    forget(key)
    kept.set(key, { ...found, untilMs })
    bytes += found.bytes + overheadBytes
    for (const topic of found.topics) {
      const keys = keysOf.get(topic)
      if (keys) keys.add(key)
      else keysOf.set(topic, new Set([key]))
    }
    makeRoom()
  }

  const lookUpAndKeep = async (key: string, lookUp: () => Promise<Found<unknown> | undefined>): Promise<Found<unknown> | undefined> => {
    const mine: Pending = { changed: new Set(), outdated: false }
    const untilMs = nowMs() + longestMs
    pending.add(mine)
    try {
      const found = await lookUp()
      if (found && hearing && !mine.outdated && !found.topics.some((topic) => mine.changed.has(topic))) keep(key, found, untilMs)
      return found
    } finally {
      pending.delete(mine)
    }
  }

  const share = (key: string, lookUp: () => Promise<Found<unknown> | undefined>) => {
    const looking = lookUpAndKeep(key, lookUp).finally(() => {
      if (shared.get(key) === looking) shared.delete(key)
    })
    shared.set(key, looking)
    return looking
  }

  return {
    get: async <T>(key: string, lookUp: () => Promise<Found<T> | undefined>) => {
      const entry = kept.get(key)
      if (entry && entry.untilMs > nowMs()) return entry.value as T
      if (!hearing) return (await lookUp())?.value
      return (await (shared.get(key) ?? share(key, lookUp)))?.value as T | undefined
    },
    changed: (topic) => {
      for (const key of keysOf.get(topic) ?? []) forget(key)
      for (const each of pending) each.changed.add(topic)
      // Who asks from now on must not get what was read before.
      shared.clear()
    },
    lost: () => {
      hearing = false
      forgetAll()
    },
    regained: () => {
      hearing = true
      forgetAll()
    },
  }
}
