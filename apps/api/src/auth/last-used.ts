import type { Logger } from 'pino'
import type { Queryable } from '../database/database.ts'
import type { Clock } from '../shared/clock.ts'
import type { Uuid } from '../shared/ids.ts'

/** Remembers when keys were last used, and writes it now and then: no request costs a write. */
export interface LastUsed {
  /** Remembers that a key is used now. */
  touch(keyId: Uuid): void
  /** Writes what is remembered, in one statement. Rejects when it could not be written; then it stays remembered. */
  flush(): Promise<void>
  /** Begins to write every minute. */
  start(): void
  /** Stops, and writes what is left. */
  stop(): Promise<void>
}

const everyMs = 60_000

/** Makes a {@link LastUsed} that has nothing to write yet. */
export const createLastUsed = (deps: { database: Queryable; clock: Clock; log: Logger }): LastUsed => {
  const { database, clock, log } = deps
  let usedAt = new Map<Uuid, Date>()
  let timer: NodeJS.Timeout | undefined

  const flush = async (): Promise<void> => {
    if (usedAt.size === 0) return
    const writing = usedAt
    usedAt = new Map()
    try {
      // A row that another process is writing at this moment is as good as written, so no one waits for anyone.
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
      // What was used since is later than what could not be written.
      usedAt = new Map([...writing, ...usedAt])
      throw error
    }
  }

  const flushOrWarn = (): Promise<void> =>
    flush().catch((error: unknown) => log.warn({ err: error }, 'When keys were last used could not be written; it is tried again.'))

  return {
    touch: (keyId) => {
      usedAt.set(keyId, clock.now())
    },
    flush,
    start: () => {
      timer = setInterval(() => void flushOrWarn(), everyMs)
      timer.unref()
    },
    stop: async () => {
      clearInterval(timer)
      await flushOrWarn()
    },
  }
}
