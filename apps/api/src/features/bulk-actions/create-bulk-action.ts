import { requireBulkActionCapacity } from '@flowpost/contract/rules'
import type { Principal } from '../../auth/principal.ts'
import type { Queryable } from '../../database/database.ts'
import type { RequestContext } from '../../http/request-context.ts'
import type { Clock } from '../../shared/clock.ts'
import { newUuid } from '../../shared/ids.ts'
import { type BulkActionRow, bulkActionColumns } from './bulk-action.serializer.ts'
import { type BulkActionBody, resolveRange, toAppliedFilter } from './resolve-range.ts'

// A user's bulk actions are created one at a time, so that concurrent requests cannot exceed the limit.
const lockUser = `select pg_advisory_xact_lock(hashtextextended('bulk-actions ' || $1, 0))`
const countRunning = `select count(*)::int as running from bulk_actions where user_id = $1 and status = 'running'`

/**
 * Stores a bulk action. The caller must notify the runners after the commit.
 * @throws ApiError `not_found`, or `rate_limited` if the user has too many running actions.
 */
export const createBulkAction = async (
  transaction: Queryable,
  clock: Clock,
  principal: Principal,
  body: BulkActionBody,
  { requestId, span }: Pick<RequestContext, 'requestId' | 'span'>,
): Promise<BulkActionRow> => {
  const filter = toAppliedFilter(body)
  const { selection, start } = await resolveRange(transaction, principal, body, filter)
  await transaction.query(lockUser, [principal.userId])
  const [count] = await transaction.query<{ running: number }>(countRunning, [principal.userId])
  requireBulkActionCapacity(count?.running ?? 0)
  const [row] = await transaction.query<BulkActionRow & object>(
    `insert into bulk_actions (id, user_id, project_id, action, filter, spread_seconds, test, status, cursor_notification_id,
       cursor_delivery_id, last_notification_id, next_step_at, request_id, trace_context, created_at)
     values ($1, $2, $3, $4, $5::jsonb, $6, $7, 'running', $8, $9, $10, now(), $11, $12, $13) returning ${bulkActionColumns}`,
    [
      newUuid(),
      principal.userId,
      selection.projectId,
      body.action,
      JSON.stringify(filter),
      body.spread_seconds ?? 0,
      principal.mode === 'test',
      start.notificationId,
      start.deliveryId,
      selection.lastNotificationId,
      requestId,
      span?.context ?? null,
      clock.now(),
    ],
  )
  if (!row) throw new Error('The insert of the bulk action returned no row.')
  return row
}
