import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Queryable } from '../database.ts'

// "flow" in hexadecimal. Any constant works if every process uses the same one.
const migrationLock = 0x666c6f77
const retryAfterMs = 200
const logEveryMs = 10_000

/**
 * Takes the lock that one process at a time holds while it migrates. Ending the session releases it. Polls for the lock instead
 * of waiting in a statement: that statement would be an open transaction, and `create index concurrently` in the process that
 * holds the lock would wait for it.
 */
export const takeMigrationLock = async (
  session: Queryable,
  { log, signal }: { log: Pick<Logger, 'warn'>; signal: AbortSignal | undefined },
): Promise<void> => {
  let loggedMs = performance.now()
  for (;;) {
    const [row] = await session.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [migrationLock])
    if (row?.taken) return
    if (performance.now() - loggedMs >= logEveryMs) {
      loggedMs = performance.now()
      log.warn({}, 'Waiting for another process that migrates the database.')
    }
    await sleep(retryAfterMs, undefined, { signal })
  }
}
