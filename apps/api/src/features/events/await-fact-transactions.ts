import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../database/database.ts'

// Every transaction that creates facts takes one of these locks before its first snapshot, and holds it until it ends.
const writers = `select distinct virtualtransaction as id from pg_locks
  where locktype = 'relation' and mode in ('RowExclusiveLock', 'RowShareLock') and granted and pid <> pg_backend_pid()
    and database = (select oid from pg_database where datname = current_database())
    and relation in ('deliveries'::regclass, 'flows'::regclass)`
const stillOpen = 'select exists (select from pg_locks where virtualtransaction = any($1::text[])) as found'

const pauseMs = 10
// The transactions are short. If one takes longer, the request must not wait until its client gives up.
const maxWaitMs = 10_000

/**
 * Waits until every transaction has ended that may have created facts without seeing a committed change of an event endpoint.
 * Afterwards, every fact that is committed becomes an event for the endpoint: docs/decisions/0031-events.md.
 */
export const awaitFactTransactions = async (database: Pick<Database, 'kind' | 'query'>): Promise<void> => {
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
