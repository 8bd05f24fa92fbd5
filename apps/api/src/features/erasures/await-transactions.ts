import type { EraseStep } from './erasure-area.ts'

// Ignores transactions that started more than two minutes before `$1`. They cannot be storing a notification or an event,
// because timeouts end such transactions within two minutes.
const isOlder = `select exists (
    select 1 from pg_stat_activity where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
      and xact_start <= $1::timestamptz and xact_start > $1::timestamptz - interval '2 minutes'
  ) and clock_timestamp() < $1::timestamptz + interval '1 minute' as waits`

/**
 * Waits, for at most a minute, until all transactions that were open when the wait started have ended, because the
 * following steps find only committed rows. An erasure waits twice:
 * - Before it erases the log: an open transaction may be storing a notification to the recipient, because the transaction
 *   did not see the suppression.
 * - After it has erased the log: an open transaction may be storing an event with the address, because the transaction
 *   read the log before it was erased.
 */
export const awaitTransactions: EraseStep = async (transaction, _deps, _person, position) => {
  if (position === null) {
    const [row] = await transaction.query<{ at: string }>('select clock_timestamp()::text as at')
    return { next: row?.at ?? null, erased: 0 }
  }
  const [row] = await transaction.query<{ waits: boolean }>(isOlder, [position])
  return { next: row?.waits ? position : null, erased: 0 }
}
