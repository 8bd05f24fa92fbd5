import type { Logger } from 'pino'
import type { Queryable } from '../database/database.ts'
import type { Clock } from '../shared/clock.ts'
import type { Uuid } from '../shared/ids.ts'

/**
 * Records in memory when API keys were last used, and writes the times to the database periodically, so that requests
 * cause no writes.
 */
export interface LastUsed {
  /** Records the current time as the last use of a key. */
  touch(keyId: Uuid): void
  /** Writes the recorded uses in one statement. If the write fails, they stay in memory. */
  flush(): Promise<void>
  /** Starts a timer that writes the recorded uses every minute. */
  start(): void
  /** Stops the periodic writes and writes the remaining uses. */
  stop(): Promise<void>
}

const intervalMs = 60_000

/** Creates a {@link LastUsed}. */
export const createLastUsed = (deps: { database: Queryable; clock: Clock; log: Logger }): LastUsed => {
  const { database, clock, log } = deps
  let usedAt = new Map<Uuid, Date>()
  let timer: NodeJS.Timeout | undefined

  const flush = async (): Promise<void> => {
    if (usedAt.size === 0) return
    const writing = usedAt
    usedAt = new Map()
    try {
      // Skips rows that another process is writing, because that process writes an almost equally recent time.
      await database.query(
        `with used as (
           select k.id, u.at from unnest($1::uuid[], $2::timestamptz[]) as u(id, at) join api_keys k on k.id = u.id
           for no key update of k skip locked
         )
         update api_keys set last_used_at = used.at from used
         where api_keys.id = used.id and (api_keys.last_used_at is null or api_keys.last_used_at < used.at)`,
        [[...writing.keys()], [...writing.values()]],
      )
    } catch (error) {
      // A time that was recorded during the write takes precedence, because it is more recent.
      usedAt = new Map([...writing, ...usedAt])
      throw error
    }
  }

  const flushOrWarn = (next: string): Promise<void> =>
    flush().catch((error: unknown) => log.warn({ err: error }, `Could not record when API keys were last used; ${next}`))

  return {
    touch: (keyId) => {
      usedAt.set(keyId, clock.now())
    },
    flush,
    start: () => {
      timer = setInterval(() => void flushOrWarn('retrying.'), intervalMs)
      timer.unref()
    },
    stop: async () => {
      clearInterval(timer)
      await flushOrWarn('the times since the last write are lost.')
    },
  }
}
