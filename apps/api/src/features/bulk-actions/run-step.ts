import type { Database, Transaction } from '../../database/database.ts'
import { anyUuid } from '../../database/query-hints.ts'
import type { Uuid } from '../../shared/ids.ts'
import { lockNotifications } from '../delivery/attempts/record-outcomes.ts'
import { type CancelDeps, cancelDeliveries } from '../delivery/cancel-deliveries.ts'
import { notifyCompleted } from '../delivery/completion-watch.ts'
import { lockProject } from '../delivery/requeue-deliveries.ts'
import { isImmediate, pickAction, postponeAction, type RunningAction, saveProgress, untilNextDueMs } from './action-progress.ts'
import { type RetryStepDeps, retryDeliveries } from './retry-deliveries.ts'
import { findMatching, lockMatching, type Selection } from './selected-deliveries.ts'

/** The dependencies of {@link runStep}. */
export interface StepDeps extends CancelDeps, RetryStepDeps {
  readonly database: Database
  /**
   * The maximum number of deliveries that one step changes. For an immediate retry, it also limits how many of the
   * action's deliveries are queued at the same time; see {@link isImmediate}.
   */
  readonly maxDeliveries: number
  /** Called with the action's id when the step has chosen its action. If the step fails, the caller can postpone this action. */
  readonly onPick?: (id: Uuid) => void
}

/** The result of a step. */
export type StepResult =
  /**
   * No action can take a step now. `waitMs` is the time until the next action is due, in milliseconds; `undefined` if no
   * action has the status `running`.
   */
  | { readonly kind: 'idle'; readonly waitMs: number | undefined }
  /** Too many of the action's deliveries are still queued, so the step changed nothing. */
  | { readonly kind: 'postponed' }
  | { readonly kind: 'changed'; readonly action: RunningAction; readonly isDone: boolean; readonly queued: number }

// Selects the deliveries that have had no attempt since the action requeued them: their status is still `queued`. Omits those
// that wait for their `send_at`. Otherwise, the action would wait with them, for up to 30 days.
const stillQueued = `select id from deliveries where ${anyUuid('id', '$1')} and status = 'queued'
  and (next_attempt_at is null or ready_at <= now())`

const findWaiting = async (on: Transaction, { waiting_ids }: RunningAction): Promise<Uuid[]> => {
  if (waiting_ids === '') return []
  const rows = await on.query<{ id: Uuid }>(stillQueued, [waiting_ids.split(',')])
  return rows.map(({ id }) => id)
}

const waitPauseMs = 200
// A step that may change less than a fifth of `maxDeliveries` is not worth a transaction.
const minShareOfStep = 5
const examineLimits = { notifications: 2_000, deliveries: 5_000 }

/**
 * Runs one step of the bulk action that has waited longest: examines its next deliveries and changes those that match.
 * The action's position and the changes are committed together, so the action changes every delivery at most once, even
 * if a process is killed.
 */
export const runStep = (deps: StepDeps): Promise<StepResult> =>
  deps.database.transaction(async (transaction) => {
    const action = await pickAction(transaction)
    if (!action) return { kind: 'idle', waitMs: await untilNextDueMs(transaction) }
    deps.onPick?.(action.id)
    const waiting = isImmediate(action) ? await findWaiting(transaction, action) : []
    const capacity = deps.maxDeliveries - waiting.length
    if (capacity < deps.maxDeliveries / minShareOfStep) {
      await postponeAction(transaction, action.id, waitPauseMs)
      return { kind: 'postponed' }
    }
    return advance(transaction, deps, action, waiting, capacity)
  })

const advance = async (
  transaction: Transaction,
  deps: StepDeps,
  action: RunningAction,
  waiting: readonly Uuid[],
  capacity: number,
): Promise<StepResult> => {
  const selection: Selection = {
    action: action.action,
    projectId: action.project_id,
    filter: action.filter,
    lastNotificationId: action.last_notification_id,
  }
  const cursor = { notificationId: action.cursor_notification_id, deliveryId: action.cursor_delivery_id }
  const { deliveryIds, notificationIds, next } = await findMatching(transaction, selection, cursor, capacity, examineLimits)
  const { matched, changed } = await change(transaction, deps, action, selection, { deliveryIds, notificationIds })
  const isDone = next === undefined
  const result = {
    ...action,
    matched: action.matched + matched,
    done: action.done + changed.length,
    skipped: action.skipped + matched - changed.length,
  }
  const waitingIds = isDone || !isImmediate(action) ? [] : [...waiting, ...changed]
  await saveProgress(transaction, deps.clock, { ...result, position: next ?? cursor, waitingIds, isDone })
  if (isDone) await notifyCompleted(transaction, [action.id])
  return { kind: 'changed', action: result, isDone, queued: action.action === 'retry' ? changed.length : 0 }
}

interface Found {
  readonly deliveryIds: readonly Uuid[]
  readonly notificationIds: readonly Uuid[]
}

/**
 * Locks the project, notifications and deliveries in the lock order of `recordOutcomes`. Then changes the deliveries that
 * still match.
 */
const change = async (
  transaction: Transaction,
  deps: StepDeps,
  action: RunningAction,
  selection: Selection,
  { deliveryIds, notificationIds }: Found,
): Promise<{ readonly matched: number; readonly changed: readonly Uuid[] }> => {
  if (deliveryIds.length === 0) return { matched: 0, changed: [] }
  // This lock prevents the project's flows from being deleted before the commit, because deleting a flow also locks the project.
  await transaction.query(lockProject, [action.project_id])
  await transaction.query(lockNotifications, [notificationIds])
  const locked = await lockMatching(transaction, selection, deliveryIds)
  const changed =
    action.action === 'retry'
      ? await retryDeliveries(transaction, deps, action, locked)
      : await cancelDeliveries(
          transaction,
          deps,
          locked.map(({ id }) => id),
        )
  return { matched: locked.length, changed }
}
