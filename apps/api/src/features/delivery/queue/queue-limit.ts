import { requireQueueCapacity } from '@flowpost/contract/rules'
import type { Logger } from 'pino'
import type { Uuid } from '../../../shared/ids.ts'
import { minPriority, type Queue } from './queue.ts'

/** New deliveries in one project. */
export interface Addition {
  readonly userId: string
  readonly projectId: Uuid
  readonly count: number
  /** Whether the deliveries are due in the future. The queue limit applies separately to scheduled and to due deliveries. */
  readonly scheduled: boolean
}

/** Space in the queue for deliveries that will be stored. */
export interface Reservation {
  /** The priority at which to queue the deliveries. */
  readonly priority: number
  /**
   * Ends the reservation. Call it exactly once. Without a call, this process could never refresh its count of the pending
   * deliveries. A second call would make the count wrong.
   * @param stored whether the deliveries were stored. If not, the reserved space is free again.
   */
  settle(stored: boolean): void
}

/** Rejects messages while too many deliveries are pending. */
export interface QueueLimit {
  start(): Promise<void>
  stop(): void
  /**
   * Reserves space for deliveries.
   * @throws ApiError `queue_full` if the deployment or the user would then have too many pending deliveries.
   */
  reserve(addition: Addition): Reservation
}

const refreshMs = 2_000
// Counting many pending jobs takes a long time. After each count, the process waits for 20 times the count's duration, so
// counting takes at most about a twentieth of the time.
const pausePerCount = 20

/**
 * Returns the priority of new deliveries in a project. `pending` is the number of pending deliveries in the project,
 * including the new ones. Each doubling of `pending` lowers the priority by one, so a bulk send in one project does not
 * delay a single message in another.
 */
export const priorityFor = (pending: number): number => Math.max(minPriority, -Math.floor(Math.log2(1 + Math.max(0, pending))))

type Counts = Map<string, number>

const add = (counts: Counts, key: string, by: number): void => {
  const number = (counts.get(key) ?? 0) + by
  if (number === 0) counts.delete(key)
  else counts.set(key, number)
}

const kindOf = (scheduled: boolean): string => (scheduled ? 'scheduled' : 'due')
const userKey = (kind: string, userId: string): string => `${kind} user ${userId}`
const projectKey = (kind: string, projectId: Uuid): string => `${kind} project ${projectId}`

/**
 * Creates a limit on pending deliveries. The deliveries of one user may use at most half of the limit. The jobs in the
 * queue are counted every two seconds, or less often if counting is slow. Between counts, this process uses the last
 * count. It adds the deliveries that it has stored since then and the deliveries for which it has reserved space.
 */
export const createQueueLimit = (deps: { queue: Pick<Queue, 'countPending'>; limit: number; log: Logger }): QueueLimit => {
  const { queue, limit, log } = deps
  let counted: Counts = new Map()
  let added: Counts = new Map()
  const reserved: Counts = new Map()
  const unsettled = new Set<Promise<void>>()
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  const pending = (key: string): number => (counted.get(key) ?? 0) + (added.get(key) ?? 0) + (reserved.get(key) ?? 0)

  const count = async (): Promise<Counts> => {
    const counts: Counts = new Map()
    for (const { userId, projectId, due, scheduled } of await queue.countPending())
      for (const [kind, number] of [
        ['due', due],
        ['scheduled', scheduled],
      ] as const) {
        if (number === 0) continue
        add(counts, kind, number)
        add(counts, userKey(kind, userId), number)
        add(counts, projectKey(kind, projectId), number)
      }
    return counts
  }

  const refresh = async (): Promise<void> => {
    // Waits until the current reservations end. The deliveries of a reservation are committed before the reservation ends. If
    // the jobs were counted between these two moments, both `counted` and `reserved` would include these deliveries.
    // Reservations that begin during the wait may still be counted twice, until the next refresh. Waiting for them too could
    // take forever under load. They are few compared to the limit, and counting them twice only rejects messages a little early.
    await Promise.all(unsettled)
    const startedMs = performance.now()
    const before = new Map(added)
    try {
      counted = await count()
      // Removes the deliveries that were stored before counting started, because the new count includes them. Keeps those that
      // were stored while counting, because the count may have missed them.
      added = new Map([...added].flatMap(([key, number]) => (number === before.get(key) ? [] : [[key, number - (before.get(key) ?? 0)]])))
    } catch (error) {
      log.debug({ err: error }, 'Could not count the pending deliveries; continuing with the last count.')
    }
    if (stopped) return
    timer = setTimeout(() => void refresh(), Math.max(refreshMs, pausePerCount * (performance.now() - startedMs)))
    timer.unref()
  }

  return {
    start: refresh,
    stop: () => {
      stopped = true
      clearTimeout(timer)
    },
    reserve: ({ userId, projectId, count: number, scheduled }) => {
      const kind = kindOf(scheduled)
      const keys = [kind, userKey(kind, userId), projectKey(kind, projectId)]
      requireQueueCapacity(limit, { ofAll: pending(kind), ofUser: pending(userKey(kind, userId)) }, number)
      for (const key of keys) add(reserved, key, number)
      const { promise, resolve } = Promise.withResolvers<void>()
      unsettled.add(promise)
      return {
        priority: priorityFor(pending(projectKey(kind, projectId))),
        settle: (stored) => {
          for (const key of keys) {
            add(reserved, key, -number)
            if (stored) add(added, key, number)
          }
          unsettled.delete(promise)
          resolve()
        },
      }
    },
  }
}
