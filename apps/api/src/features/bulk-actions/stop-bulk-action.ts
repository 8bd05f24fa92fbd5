import type { Principal } from '../../auth/principal.ts'
import type { Queryable } from '../../database/database.ts'
import type { Clock } from '../../shared/clock.ts'
import type { Uuid } from '../../shared/ids.ts'
import { notifyCompleted } from '../delivery/completion-watch.ts'
import { getBulkAction } from './bulk-action.queries.ts'
import { type BulkActionRow, bulkActionColumns } from './bulk-action.serializer.ts'

const stop = `update bulk_actions set status = 'stopped', completed_at = $2, waiting_ids = '{}'
  where id = $1 and status = 'running' returning ${bulkActionColumns}`

const stopEarlier = `update bulk_actions set status = 'stopped', completed_at = $2, waiting_ids = '{}'
  where status = 'running' and created_at < $1 returning id`

/** Stops every user's running bulk actions that were created before the given time. */
export const stopBulkActionsBefore = async (on: Queryable, clock: Clock, before: Date): Promise<void> => {
  const stopped = await on.query<{ id: Uuid }>(stopEarlier, [before, clock.now()])
  await notifyCompleted(
    on,
    stopped.map(({ id }) => id),
  )
}

/**
 * Stops a bulk action. First waits for the transaction that is changing the action's deliveries, if any. `stopped` is
 * `false` if the action was not running.
 * @throws ApiError `not_found`.
 */
export const stopBulkAction = async (
  transaction: Queryable,
  clock: Clock,
  principal: Principal,
  id: string,
): Promise<{ readonly row: BulkActionRow; readonly stopped: boolean }> => {
  const { id: uuid } = await getBulkAction(transaction, principal, id)
  const [row] = await transaction.query<BulkActionRow & object>(stop, [uuid, clock.now()])
  if (row) await notifyCompleted(transaction, [uuid])
  return { row: row ?? (await getBulkAction(transaction, principal, id)), stopped: row !== undefined }
}
