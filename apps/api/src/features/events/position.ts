import { lowestUuid, type Uuid } from '../../shared/ids.ts'

/**
 * A place in the feed: the `position` of an event, and its id. The position is the epoch of the database, shifted by 48 bits,
 * plus the id of the transaction that wrote the event. Restoring a dump starts a new epoch, because transaction ids then start
 * again: see docs/decisions/0031-events.md.
 */
export interface FeedPosition {
  /** A 64-bit integer as text. */
  readonly position: string
  readonly id: Uuid
}

/** The place before all events. */
export const feedStart: FeedPosition = { position: '0', id: lowestUuid }

const epoch = '(coalesce((select event_epoch from flowpost_identity where single_row), 0)::bigint << 48)'

/** An SQL expression: the position of the events that this transaction writes. */
export const currentPosition = `(${epoch} | pg_current_xact_id()::text::bigint)`

/**
 * An SQL expression: the lowest possible position of events of open and later transactions. No event can be added at a lower
 * position. Transactions that only read do not hold the value back.
 */
export const completeBefore = `(${epoch} | pg_snapshot_xmin(pg_current_snapshot())::text::bigint)`
