import type { Database, Queryable } from '../../database/database.ts'
import type { Uuid } from '../../shared/ids.ts'

/** The PostgreSQL channel on which new erasures are announced. */
export const erasureChannel = 'flowpost_erasures'

/** The lease duration in milliseconds. A process must renew its lease within this time. */
const leaseMs = 30_000

/** An erasure on which this process holds a lease. */
export interface ClaimedErasure {
  readonly id: Uuid
  readonly userId: string
  readonly digest: Uuid
  /** The only provider whose deliveries are erased; empty if the erasure covers all providers. */
  readonly sourceType: string
  readonly createdAt: string
  /** The recipient's normalized address (`recipientKey`), encrypted. */
  readonly address: Uint8Array
  /** The fencing token. */
  readonly claim: number
}

/** The point at which an erasure continues. */
export interface ErasureProgress {
  /** The database area that is being erased, such as `events`; `null` before the first area. */
  readonly phase: string | null
  /** The position in the area; `null` at its beginning. */
  readonly position: string | null
}

/**
 * Wakes the erasure workers in all processes. A worker that misses the notification finds the erasure at its next poll.
 */
export const notifyErasures = (database: Database): Promise<void> => database.notify(erasureChannel, '').catch(() => {})

/** Ends all leases. Use it only with the embedded database, where no other process can hold a lease. */
export const releaseAll = async (database: Database): Promise<void> => {
  await database.query('update erasures set due_at = now() where due_at is not null')
}

/**
 * Claims a due erasure, if any. Users take turns: users who have not had a turn come first, then the user whose last turn was
 * longest ago. Among a user's erasures, the one that has been due longest comes first.
 * @param turns the users who have had a turn. The user with the most recent turn is at the end.
 */
export const claimErasure = async (database: Database, turns: readonly string[] = []): Promise<ClaimedErasure | undefined> => {
  const [row] = await database.query<ClaimedErasure & object>(
    `update erasures set due_at = now() + $1::int * interval '1 millisecond', claim = claim + 1
     where id = (select id from erasures where due_at <= now()
       order by coalesce(array_position($2::text[], user_id), 0), due_at limit 1 for update skip locked)
     returning id, user_id as "userId", digest, source_type as "sourceType", created_at as "createdAt", address, claim`,
    [leaseMs, turns],
  )
  return row
}

/**
 * Locks a claimed erasure until the transaction ends. Returns its progress, or `undefined` if the erasure is done or
 * another process has claimed it.
 */
export const lockErasure = async (on: Queryable, { id, claim }: ClaimedErasure): Promise<ErasureProgress | undefined> => {
  const [row] = await on.query<ErasureProgress & object>(
    `select phase, position from erasures where id = $1 and claim = $2 and due_at is not null for update`,
    [id, claim],
  )
  return row
}

/** Stores an erasure's progress and renews the lease. */
export const saveProgress = async (on: Queryable, id: Uuid, { phase, position }: ErasureProgress, erased: number): Promise<void> => {
  await on.query(
    `update erasures set phase = $2, position = $3, deliveries = deliveries + $4, due_at = now() + $5::int * interval '1 millisecond'
     where id = $1`,
    [id, phase, position, erased, leaseMs],
  )
}

/** Marks an erasure as done and deletes the address. Only the recipient's digest remains stored. */
export const completeErasure = async (on: Queryable, id: Uuid): Promise<void> => {
  await on.query(
    `update erasures set status = 'done', done_at = now(), address = null, phase = null, position = null, due_at = null where id = $1`,
    [id],
  )
}

/** Ends an erasure's lease. The erasure is due again after `delayMs` milliseconds. */
export const releaseErasure = async (database: Database, { id, claim }: ClaimedErasure, delayMs: number): Promise<void> => {
  await database.query(
    `update erasures set due_at = now() + $3::int * interval '1 millisecond' where id = $1 and claim = $2 and due_at is not null`,
    [id, claim, delayMs],
  )
}
