import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../database/database.ts'

// Selects the open transactions that may create `EventFact`s, by their locks on `deliveries` and `flows`. Every statement
// that creates `EventFact`s takes such a lock before its snapshot, and the transaction holds the lock until it ends.
const writers = `select distinct virtualtransaction as id from pg_locks
  where locktype = 'relation' and mode in ('RowExclusiveLock', 'RowShareLock') and granted and pid <> pg_backend_pid()
    and database = (select oid from pg_database where datname = current_database())
    and relation in ('deliveries'::regclass, 'flows'::regclass)`
const stillOpen = 'select exists (select from pg_locks where virtualtransaction = any($1::text[])) as found'

const pauseMs = 10
// The awaited transactions are short. If one takes longer than this, the wait ends, so that the client does not time out.
const maxWaitMs = 10_000

/**
 * Waits until all open transactions that may create `EventFact`s have ended, for at most 10 seconds. Call this function
 * after committing a change to an event endpoint, because transactions that are already open may not see the change, and
 * may therefore store no events for the endpoint. Facts that are committed after the wait become events for the endpoint,
 * unless the wait timed out. See docs/decisions/0031-events.md.
 */
export const awaitEarlierTransactions = async (database: Pick<Database, 'kind' | 'query'>): Promise<void> => {
  // The embedded database runs one transaction at a time.
  if (database.kind === 'embedded') return
  const ids = (await database.query<{ id: string }>(writers)).map(({ id }) => id)
  const deadlineMs = performance.now() + maxWaitMs
  while (ids.length > 0 && performance.now() < deadlineMs) {
    const [row] = await database.query<{ found: boolean }>(stillOpen, [ids])
    if (!row?.found) return
    await sleep(pauseMs)
  }
}
