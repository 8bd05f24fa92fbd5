import type { EraseStep } from './erasure-area.ts'

// Ignores transactions that started more than two minutes before `$1`. They cannot be storing a notification, because timeouts
// end every transaction that stores a notification within two minutes.
const isOlder = `select exists (
    select 1 from pg_stat_activity where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
      and xact_start <= $1::timestamptz and xact_start > $1::timestamptz - interval '2 minutes'
  ) and clock_timestamp() < $1::timestamptz + interval '1 minute' as waits`

/**
 * Waits, for at most a minute, until all transactions that were open when the erasure started have ended. Such a
 * transaction may be storing a notification to the recipient, because it did not see the suppression. It must end before
 * the log is erased, because the erasure finds only committed notifications.
 */
export const awaitTransactions: EraseStep = async (transaction, _deps, _person, position) => {
  if (position === null) {
    const [row] = await transaction.query<{ at: string }>('select clock_timestamp()::text as at')
    return { next: row?.at ?? null, erased: 0 }
  }
  const [row] = await transaction.query<{ waits: boolean }>(isOlder, [position])
  return { next: row?.waits ? position : null, erased: 0 }
}
