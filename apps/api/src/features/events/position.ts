import { lowestUuid, type Uuid } from '../../shared/ids.ts'

/**
 * A place in the feed: an event's `position` and id. The position is the database's epoch, shifted left by 48 bits,
 * plus a transaction id (see {@link currentPosition}). Restoring a dump starts a new epoch, because transaction ids then
 * start over: see docs/decisions/0031-events.md.
 */
export interface FeedPosition {
  /** A 64-bit integer as text. */
  readonly position: string
  readonly id: Uuid
}

/** The place in the feed before the first event. */
export const feedStart: FeedPosition = { position: '0', id: lowestUuid }

const epoch = '(coalesce((select event_epoch from flowpost_identity where single_row), 0)::bigint << 48)'

/**
 * An SQL expression for the position of events that the current transaction writes. The position contains the higher of
 * two ids: the id of this transaction, and the id of the latest completed transaction. The reason: this transaction may
 * have waited for a lock after it received its id. If other transactions stored events during the wait, the events of
 * this transaction must follow those events.
 */
export const currentPosition = `(${epoch} | greatest(pg_current_xact_id()::text::bigint,
  pg_snapshot_xmax(pg_current_snapshot())::text::bigint - 1))`

/**
 * An SQL expression for the lowest position at which open and future transactions can still add events. Below this
 * position, the feed is complete. Read-only transactions do not hold the value back.
 */
export const completeBefore = `(${epoch} | pg_snapshot_xmin(pg_current_snapshot())::text::bigint)`
