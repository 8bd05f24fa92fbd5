import type { Database, Queryable } from '../database.ts'
import { type DatabaseIdentity, isSameDatabase } from './database-identity.ts'

/** A hold on all messages after the database was restored. */
export interface Hold {
  /**
   * The time at which a process first used the restored database. Deliveries created earlier may look unfinished, although
   * they were sent after the backup was made.
   */
  readonly since: Date
  /** Whether the deliveries from before the restore are being canceled. The hold ends when all of them are canceled. */
  readonly canceling: boolean
}

/**
 * The reason why a database counts as restored: its identity has changed, its rows come from a dump, or the operator
 * declared a restore in `FLOWPOST_RESTORED_AT`.
 */
export type RestoreReason = 'another_database' | 'copied_rows' | 'declared'

/** The table that stores the database's identity and, if there is one, the hold on messages after a restore. */
export const identityTable = 'flowpost_identity'

interface Row {
  readonly system_identifier: string | null
  readonly database_id: string
  readonly is_original: boolean
  readonly is_declared: boolean
  readonly held_since: string | null
  readonly canceling: boolean
}

// The transaction that writes the row stores its own id in `written_in`. PostgreSQL also stores this id, in the row's system
// column `xmin`. After a dump is restored, the two ids differ: the dump contains `written_in`, but the row is inserted in another
// transaction. `xmin` has only 32 bits, so only the lower 32 bits are compared. Freezing a row does not change `xmin`.
const currentTransaction = 'pg_current_xact_id()::text::bigint'
const read = `select system_identifier, database_id, written_in % 4294967296 = xmin::text::bigint as is_original,
    coalesce($1::timestamptz > coalesce(restored_at, '-infinity'), false) as is_declared, held_since, canceling
  from ${identityTable}`
const create = `insert into ${identityTable} (system_identifier, database_id, written_in, restored_at, held_since)
  values ($1, $2, ${currentTransaction}, $3::timestamptz, case when $3::timestamptz is not null then now() end)
  on conflict (single_row) do nothing returning 1`

// The epoch of event positions is the number of 6-hour periods since 2026, but always higher than before. So it also differs
// from that of an earlier restore of the same or an older backup, which counted up from the same value. A position has 15 bits
// for the epoch, which are enough until 2047. Later times are ignored, because a clock that is far ahead must not use up the
// epochs.
const periods = `floor(extract(epoch from now() - timestamptz '2026-01-01T00:00:00Z') / 21600)`
const nextEpoch = `least(32767, greatest(event_epoch + 1, case when ${periods} < 32000 then ${periods}::int end))`
const hold = `update ${identityTable} set system_identifier = $1, database_id = $2, written_in = ${currentTransaction},
  restored_at = greatest(restored_at, $3::timestamptz), held_since = now(), canceling = false, event_epoch = ${nextEpoch}`
const release = `update ${identityTable} set held_since = null, canceling = false, written_in = ${currentTransaction}
  where held_since is not null and canceling = $1 returning 1`
const startCanceling = `update ${identityTable} set canceling = true, written_in = ${currentTransaction}
  where held_since is not null returning held_since`

const toHold = (row: Pick<Row, 'held_since' | 'canceling'> | undefined): Hold | undefined =>
  row?.held_since ? { since: new Date(row.held_since), canceling: row.canceling } : undefined

const reasonOf = (row: Row, found: DatabaseIdentity): RestoreReason | undefined => {
  const stored = { systemIdentifier: row.system_identifier, databaseId: row.database_id }
  if (!isSameDatabase(stored, found)) return 'another_database'
  if (!row.is_original) return 'copied_rows'
  return row.is_declared ? 'declared' : undefined
}

/**
 * Detects whether the database was restored; see {@link RestoreReason}. If it was, begins a hold in the same
 * transaction. If several processes start at the same time, one begins the hold and the others read it.
 * @param restoredAt the time of a restore that Flowpost cannot detect: the value of `FLOWPOST_RESTORED_AT`.
 * @returns the hold, if there is one, and its reason if this process began it.
 */
export const detectRestore = (
  database: Database,
  found: DatabaseIdentity,
  restoredAt: Date | undefined,
): Promise<{ readonly hold: Hold | undefined; readonly reason: RestoreReason | undefined }> =>
  database.transaction(async (transaction) => {
    const values = [found.systemIdentifier, found.databaseId, restoredAt ?? null]
    // Inserts the row if it is missing. A database without it is new, or was last used by a release that did not store it.
    const [created] = await transaction.query(create, values)
    const [row] = await transaction.query<Row>(`${read} for update`, [restoredAt ?? null])
    if (!row) throw new Error(`The table ${identityTable} has no row.`)
    if (created) return { hold: toHold(row), reason: row.held_since ? 'declared' : undefined }
    const reason = reasonOf(row, found)
    if (reason === undefined) return { hold: toHold(row), reason }
    await transaction.query(hold, values)
    const [held] = await transaction.query<Row>(read, [null])
    return { hold: toHold(held), reason }
  })

/** Reads the current hold. */
export const readHold = async (on: Queryable): Promise<Hold | undefined> => toHold((await on.query<Row>(read, [null]))[0])

/**
 * Ends the hold without changing any delivery. Has no effect while deliveries are being canceled. Returns whether it
 * ended a hold.
 */
export const endHold = async (on: Queryable): Promise<boolean> => (await on.query(release, [false])).length > 0

/**
 * Stores the decision to cancel the held deliveries, so that any process can continue the cancellation. Returns the hold
 * if there still is one.
 */
export const decideToCancel = async (on: Queryable): Promise<Hold | undefined> => {
  const [row] = await on.query<Pick<Row, 'held_since'>>(startCanceling)
  return toHold(row && { ...row, canceling: true })
}

/** Ends the hold. Call it after all held deliveries are canceled. Returns `false` if another process has already ended it. */
export const endCanceledHold = async (on: Queryable): Promise<boolean> => (await on.query(release, [true])).length > 0
