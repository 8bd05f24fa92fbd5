import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Queryable } from '../database.ts'

// "flow" in hexadecimal. Any constant works if every process uses the same one.
const migrationLock = 0x666c6f77
const retryAfterMs = 200
const logEveryMs = 10_000

/**
 * Takes the lock that allows only one process at a time to migrate. The lock is released when the session ends. This
 * function polls, because a statement that waits for the lock would keep a transaction open. If the lock holder then ran
 * `create index concurrently`, which waits for open transactions, the two processes would deadlock.
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
      log.warn({}, 'Waiting for another process to finish migrating the database.')
    }
    await sleep(retryAfterMs, undefined, { signal })
  }
}
