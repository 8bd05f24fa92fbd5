import type { Database, Queryable } from '../../database/database.ts'
import type { Uuid } from '../../shared/ids.ts'

/**
 * The PostgreSQL channel on which completed notifications and bulk actions are announced. A payload is a comma-separated
 * list of their ids.
 */
export const completionChannel = 'flowpost_completed'

/**
 * The maximum number of ids in a payload. PostgreSQL limits a payload to 8,000 bytes:
 * https://www.postgresql.org/docs/current/sql-notify.html
 */
const maxIdsPerPayload = 200

const notify = { name: 'notify-completed', text: 'select pg_notify($1, $2)' }

/**
 * Announces completed notifications or bulk actions to every process, so that waiting requests wake up. Takes effect when
 * the transaction commits.
 */
export const notifyCompleted = async (on: Queryable, notificationIds: readonly Uuid[]): Promise<void> => {
  for (let from = 0; from < notificationIds.length; from += maxIdsPerPayload)
    await on.query(notify, [completionChannel, notificationIds.slice(from, from + maxIdsPerPayload).join(',')])
}

/** Lets one request wait for the completion of a notification or bulk action. */
export interface CompletionWatch {
  /**
   * Resolves when the notification may have been completed, when `timeoutMs` milliseconds have passed, or when the watch
   * or the process stops.
   */
  next(timeoutMs: number): Promise<void>
  /**
   * Calls `read` and returns its result. Concurrent calls with the same `key` for the watched id share one result. When any
   * process announces the id, a result that is still being read may be outdated, so later calls do not share it.
   */
  read<T>(key: string, read: () => Promise<T>): Promise<T>
  stop(): void
}

/** Lets requests wait until any process announces an id, such as the id of a completed notification or bulk action. */
export interface Completions {
  start(): Promise<void>
  /**
   * Starts watching a notification. Read the notification only afterwards, because completions before this call are not
   * reported.
   */
  watch(notificationId: string): CompletionWatch
  /** Ends all waits and stops listening to the database. */
  stop(): Promise<void>
  stopped(): boolean
}

interface Watchers {
  readonly wakes: Set<() => void>
  readonly reads: Map<string, Promise<unknown>>
}

/**
 * Creates a {@link Completions} that listens to a PostgreSQL channel instead of polling.
 * @param channel the channel to listen on. Each payload is a comma-separated list of ids, and wakes the requests that wait for
 * one of these ids.
 */
export const createCompletions = (database: Pick<Database, 'listen'>, channel = completionChannel): Completions => {
  const waiting = new Map<string, Watchers>()
  let stopListening = async () => {}
  let stopped = false

  const wakeWatchers = ({ wakes, reads }: Watchers) => {
    reads.clear()
    for (const wake of wakes) wake()
  }
  const wakeAll = () => {
    for (const watchers of waiting.values()) wakeWatchers(watchers)
  }
  const onCompleted = (payload: string) => {
    for (const id of payload.split(',')) {
      const watchers = waiting.get(id)
      if (watchers) wakeWatchers(watchers)
    }
  }

  return {
    start: async () => {
      stopListening = await database.listen(channel, onCompleted, wakeAll)
    },
    watch: (notificationId) => {
      let woken = Promise.withResolvers<void>()
      const wake = () => woken.resolve()
      const watchers = waiting.get(notificationId) ?? { wakes: new Set(), reads: new Map() }
      const { wakes, reads } = watchers
      waiting.set(notificationId, watchers)
      wakes.add(wake)
      return {
        next: async (timeoutMs) => {
          if (stopped || !wakes.has(wake)) return
          const timer = setTimeout(wake, timeoutMs)
          await woken.promise
          clearTimeout(timer)
          woken = Promise.withResolvers()
        },
        read: async <T>(key: string, read: () => Promise<T>): Promise<T> => {
          const shared = reads.get(key) as Promise<T> | undefined
          if (shared !== undefined) return shared
          const reading = read().finally(() => reads.get(key) === reading && reads.delete(key))
          reads.set(key, reading)
          return reading
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
