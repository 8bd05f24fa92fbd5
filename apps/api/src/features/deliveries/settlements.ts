import type { Database, Queryable } from '../../database/database.ts'
import type { Uuid } from '../../shared/ids.ts'

const channel = 'flowpost_settled'
const announce = { name: 'announce-settled', text: 'select pg_notify($1, $2)' }
// A payload is at most 8,000 bytes: https://www.postgresql.org/docs/current/sql-notify.html
const idsPerPayload = 200

/** Tells, at commit, every process that these notifications have settled. */
export const announceSettled = async (on: Queryable, notificationIds: readonly Uuid[]): Promise<void> => {
  for (let from = 0; from < notificationIds.length; from += idsPerPayload)
    await on.query(announce, [channel, notificationIds.slice(from, from + idsPerPayload).join(',')])
}

/** Somebody who waits for a notification to settle. */
export interface Settlement {
  /** Resolves at the next news of the notification, or after `timeoutMs`, or at the stop. */
  next(timeoutMs: number): Promise<void>
  /**
   * Reads together with all who wait for this notification: who comes while a read of the same key is under way has its
   * answer, unless there were news since that began.
   */
  read<T>(key: string, read: () => Promise<T>): Promise<T>
  /** Waits no more. */
  stop(): void
}

/** Hears which notifications settle, in whatever process. */
export interface Settlements {
  start(): Promise<void>
  /** Begins to hear of a notification. Read its state after this, so that nothing falls in between. */
  watch(notificationId: Uuid): Settlement
  /** Lets everybody go who waits. */
  stop(): Promise<void>
  /** Whether nothing is heard any more. */
  stopped(): boolean
}

/** Those who wait for one notification. */
interface Watchers {
  readonly wakes: Set<() => void>
  readonly reads: Map<string, Promise<unknown>>
}

/** Waiting without polling: the settling transaction wakes who waits. */
export const createSettlements = (database: Pick<Database, 'listen'>): Settlements => {
  const waiting = new Map<Uuid, Watchers>()
  let stopListening = async () => {}
  let stopped = false

  const tell = ({ wakes, reads }: Watchers) => {
    reads.clear()
    for (const wake of wakes) wake()
  }
  const wakeAll = () => {
    for (const watchers of waiting.values()) tell(watchers)
  }
  const onSettled = (payload: string) => {
    for (const id of payload.split(',')) {
      const watchers = waiting.get(id)
      if (watchers) tell(watchers)
    }
  }

  return {
    start: async () => {
      stopListening = await database.listen(channel, onSettled, wakeAll)
    },
    watch: (notificationId) => {
      let news = Promise.withResolvers<void>()
      const wake = () => news.resolve()
      const watchers = waiting.get(notificationId) ?? { wakes: new Set(), reads: new Map() }
      const { wakes, reads } = watchers
      waiting.set(notificationId, watchers)
      wakes.add(wake)
      return {
        next: async (timeoutMs) => {
          if (stopped || !wakes.has(wake)) return
          const timer = setTimeout(wake, timeoutMs)
          await news.promise
          clearTimeout(timer)
          news = Promise.withResolvers()
        },
        read: async <T>(key: string, read: () => Promise<T>): Promise<T> => {
          const underWay = reads.get(key) as Promise<T> | undefined
          if (underWay !== undefined) return underWay
          const mine = read().finally(() => reads.get(key) === mine && reads.delete(key))
          reads.set(key, mine)
          return mine
        },
        stop: () => {
          wake()
          wakes.delete(wake)
          if (wakes.size === 0 && waiting.get(notificationId) === watchers) waiting.delete(notificationId)
        },
      }
    },
    stop: async () => {
      stopped = true
      wakeAll()
      await stopListening()
    },
    stopped: () => stopped,
  }
}
