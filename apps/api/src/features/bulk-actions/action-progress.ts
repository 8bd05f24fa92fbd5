import type { Queryable } from '../../database/database.ts'
import type { Clock } from '../../shared/clock.ts'
import type { Uuid } from '../../shared/ids.ts'
import type { AppliedFilter } from './bulk-action.serializer.ts'
import type { ActionKind, Position } from './selected-deliveries.ts'

/** A running bulk action, locked by the transaction that runs its next step; see `runStep`. */
export interface RunningAction {
  readonly id: Uuid
  readonly user_id: string
  readonly project_id: Uuid
  readonly action: ActionKind
  readonly filter: AppliedFilter
  readonly spread_seconds: number
  readonly test: boolean
  readonly matched: number
  readonly done: number
  readonly skipped: number
  readonly cursor_notification_id: Uuid
  readonly cursor_delivery_id: Uuid
  readonly last_notification_id: Uuid
  /** The comma-separated ids of deliveries that the action has retried and that may still be queued. */
  readonly waiting_ids: string
  readonly request_id: string | null
  readonly trace_context: string | null
  /** The time since the action was created, in milliseconds. Never negative, even if the database's clock is behind the API's. */
  readonly elapsed_ms: number
}

// The row lock is the action's lease. The lease ends with the transaction. If the process becomes unresponsive, PostgreSQL
// closes the process's session, which also ends the lease. The transaction can then no longer commit, so no fencing token is
// needed.
const pick = `select id, user_id, project_id, action, filter, spread_seconds, test, matched, done, skipped, cursor_notification_id,
    cursor_delivery_id, last_notification_id, array_to_string(waiting_ids, ',') as waiting_ids, request_id, trace_context,
    greatest(0, extract(epoch from now() - created_at) * 1000)::float8 as elapsed_ms
  from bulk_actions where status = 'running' and next_step_at <= now() order by next_step_at, id limit 1 for update skip locked`

const nextDue = `select (extract(epoch from min(next_step_at) - now()) * 1000)::float8 as "waitMs" from bulk_actions where status = 'running'`

const save = `update bulk_actions set matched = $2, done = $3, skipped = $4, cursor_notification_id = $5, cursor_delivery_id = $6,
    waiting_ids = $7::uuid[], next_step_at = now(), status = case when $8 then 'done' else status end,
    completed_at = case when $8 then $9::timestamptz end
  where id = $1`

const postpone = `update bulk_actions set next_step_at = now() + $2::float8 * interval '1 millisecond' where id = $1 and status = 'running'`

/**
 * Locks and returns the due action that has waited longest, skipping actions that another process has locked. Returns
 * `undefined` if there is none.
 */
export const pickAction = async (on: Queryable): Promise<RunningAction | undefined> => {
  const [action] = await on.query<RunningAction & object>(pick)
  return action
}

/** Returns the time until the next action is due, in milliseconds; `undefined` if no action is running. */
export const untilNextDueMs = async (on: Queryable): Promise<number | undefined> => {
  const [row] = await on.query<{ waitMs: number | null }>(nextDue)
  return row?.waitMs ?? undefined
}

/** The progress of an action after a step. */
export interface Progress extends Pick<RunningAction, 'id' | 'matched' | 'done' | 'skipped'> {
  readonly position: Position
  readonly waitingIds: readonly Uuid[]
  readonly isDone: boolean
}

/** Stores an action's progress. The next step is due immediately, but steps of other due actions come first. */
export const saveProgress = async (on: Queryable, clock: Clock, progress: Progress): Promise<void> => {
  const { id, matched, done, skipped, position, waitingIds, isDone } = progress
  await on.query(save, [id, matched, done, skipped, position.notificationId, position.deliveryId, waitingIds, isDone, clock.now()])
}

/** Postpones an action's next step by `delayMs` milliseconds. */
export const postponeAction = async (on: Queryable, id: Uuid, delayMs: number): Promise<void> =>
  void (await on.query(postpone, [id, delayMs]))

/**
 * Returns whether the action is a retry that now queues deliveries without a delay. During the first `spread_seconds` after
 * the action's creation, a retry queues deliveries with random delays. After this time, a retry queues deliveries without a
 * delay. `runStep` then limits how many of the action's deliveries are queued at the same time.
 */
export const isImmediate = ({ action, spread_seconds, elapsed_ms }: RunningAction): boolean =>
  action === 'retry' && elapsed_ms >= spread_seconds * 1_000
