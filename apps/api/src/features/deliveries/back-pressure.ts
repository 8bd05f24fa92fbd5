import type { Logger } from 'pino'
import type { Queue } from '../../queue/queue.ts'
import { ApiError } from '../../shared/api-error.ts'

/** Refuses messages while too many wait already: an early answer instead of a slow death. */
export interface BackPressure {
  start(): Promise<void>
  /**
   * Lets so many more deliveries in.
   * @throws ApiError `queue_full` when too many wait.
   */
  admit(count: number): void
  stop(): Promise<void>
}

const refreshMs = 2_000
const retryAfterSeconds = 10

/** Back-pressure by the depth of the queue, as of some seconds ago, and what this process has let in since. */
export const createBackPressure = (deps: { queue: Queue; limit: number; log: Logger }): BackPressure => {
  const { queue, limit, log } = deps
  let waiting = 0
  let timer: NodeJS.Timeout | undefined

  const refresh = async (): Promise<void> => {
    try {
      waiting = await queue.depth()
    } catch (error) {
      log.debug({ err: error }, 'The depth of the queue could not be read.')
    }
  }

  return {
    start: async () => {
      await refresh()
      timer = setInterval(() => void refresh(), refreshMs)
      timer.unref()
    },
    admit: (count) => {
      if (waiting + count > limit)
        throw new ApiError('queue_full', 'Too many messages are waiting to be delivered. Try again in a while.', {
          headers: { 'Retry-After': String(retryAfterSeconds) },
        })
      waiting += count
    },
    stop: async () => clearInterval(timer),
  }
}
