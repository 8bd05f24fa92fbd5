import type { Logger } from 'pino'
import type { Queue } from '../../queue/queue.ts'
import { ApiError } from '../../shared/api-error.ts'

/** Refuses messages while too many wait already: an early answer instead of a slow death. */
export interface BackPressure {
  start(): Promise<void>
  /**
   * Lets so many more deliveries of a user in.
   * @param at when they are due; `undefined`: now.
   * @throws ApiError `queue_full` when too many wait.
   */
  admit(userId: string, count: number, at?: Date): void
  stop(): Promise<void>
}

const refreshMs = 2_000
// Counting may take a twentieth of the time at most, however many wait.
const pausePerCount = 20
const retryAfterSeconds = 10

const queueFull = (detail: string): ApiError =>
  new ApiError('queue_full', `${detail} Try again in a while.`, { headers: { 'Retry-After': String(retryAfterSeconds) } })

/**
 * Back-pressure by what waits in the queue, as of some seconds ago, and what this process has let in since. What is due
 * and what is scheduled for later have the limit each for itself, and no user may have more than half of either.
 */
export const createBackPressure = (deps: { queue: Pick<Queue, 'load'>; limit: number; log: Logger }): BackPressure => {
  const { queue, limit, log } = deps
  const share = Math.ceil(limit / 2)
  // By kind, and by kind and user.
  let counted: ReadonlyMap<string, number> = new Map()
  let added = new Map<string, number>()
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  const waiting = (key: string): number => (counted.get(key) ?? 0) + (added.get(key) ?? 0)
  const bump = (counts: Map<string, number>, key: string, by: number) => void counts.set(key, (counts.get(key) ?? 0) + by)

  const refresh = async (): Promise<void> => {
    const startedMs = performance.now()
    const before = new Map(added)
    try {
      const loads = await queue.load()
      const fresh = new Map<string, number>()
      for (const [userId, load] of loads)
        for (const kind of ['due', 'later'] as const) {
          bump(fresh, kind, load[kind])
          bump(fresh, `${kind} ${userId}`, load[kind])
        }
      counted = fresh
      // What was let in while it was counted is taken for not counted.
      added = new Map([...added].flatMap(([key, count]) => (count === before.get(key) ? [] : [[key, count - (before.get(key) ?? 0)]])))
    } catch (error) {
      log.debug({ err: error }, 'What waits in the queue could not be counted.')
    }
    if (stopped) return
    timer = setTimeout(() => void refresh(), Math.max(refreshMs, pausePerCount * (performance.now() - startedMs)))
    timer.unref()
  }

  return {
    start: refresh,
    admit: (userId, count, at) => {
      const kind = at ? 'later' : 'due'
      if (waiting(kind) + count > limit) throw queueFull('Too many messages are waiting to be delivered.')
      if (waiting(`${kind} ${userId}`) + count > share) throw queueFull('Too many of your messages are waiting to be delivered.')
      bump(added, kind, count)
      bump(added, `${kind} ${userId}`, count)
    },
    stop: async () => {
      stopped = true
      clearTimeout(timer)
    },
  }
}
