import type { Database, Queryable } from '../../database/database.ts'
import type { Uuid } from '../../shared/ids.ts'

const channel = 'flowpost_settled'
// A payload is at most 8,000 bytes: https://www.postgresql.org/docs/current/sql-notify.html
const idsPerPayload = 200

/** Tells, at commit, every process that these notifications have settled. */
export const announceSettled = async (on: Queryable, notificationIds: readonly Uuid[]): Promise<void> => {
  for (let from = 0; from < notificationIds.length; from += idsPerPayload)
    await on.query('select pg_notify($1, $2)', [channel, notificationIds.slice(from, from + idsPerPayload).join(',')])
}

/** Somebody who waits for a notification to settle. */
export interface Settlement {
  /** Resolves at the next news of the notification, or after `timeoutMs`. */
  next(timeoutMs: number): Promise<void>
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

/** Waiting without polling: the settling transaction wakes who waits. */
export const createSettlements = (database: Database): Settlements => {
  const waiting = new Map<Uuid, Set<() => void>>()
  let stopListening = async () => {}
  let stopped = false

  const wakeAll = () => {
    for (const wakes of waiting.values()) for (const wake of wakes) wake()
  }
  const onSettled = (payload: string) => {
    for (const id of payload.split(',')) for (const wake of waiting.get(id) ?? []) wake()
  }

  return {
    start: async () => {
      stopListening = await database.listen(channel, onSettled, wakeAll)
    },
    watch: (notificationId) => {
      let news = Promise.withResolvers<void>()
      const wake = () => news.resolve()
      const wakes = waiting.get(notificationId) ?? new Set()
      waiting.set(notificationId, wakes.add(wake))
      return {
        next: async (timeoutMs) => {
          if (stopped) return
          const timer = setTimeout(wake, timeoutMs)
          await news.promise
          clearTimeout(timer)
          news = Promise.withResolvers()
        },
        stop: () => {
          wakes.delete(wake)
          if (wakes.size === 0 && waiting.get(notificationId) === wakes) waiting.delete(notificationId)
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
