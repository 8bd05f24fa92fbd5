import type { Channels } from '@flowpost/domain'
import type { Logger } from 'pino'
import type { Principal } from '../../auth/principal.ts'
import type { Database } from '../../database/database.ts'
import type { Uuid } from '../../shared/ids.ts'
import { deleteWithPendingChange, type PendingChange } from '../projects/delete-with-pending-change.ts'
import { FlowEntity } from './flow.entity.ts'
import { type FlowPath, getFlow } from './flow.queries.ts'
import { flowEtag, toFlow } from './flow.serializer.ts'

/** The dependencies of {@link deleteFlow}. */
export interface DeleteFlowDeps {
  readonly channels: Channels
  /** Returns the change that cancels the pending deliveries of flows. */
  readonly cancelPending: (flows: { readonly projectId: Uuid; readonly flowIds: readonly Uuid[] }) => PendingChange
}

/**
 * Deletes a flow and cancels its pending deliveries.
 * @throws ApiError `not_found` or `etag_mismatch`.
 */
export const deleteFlow = (
  database: Database,
  { channels, cancelPending }: DeleteFlowDeps,
  principal: Principal,
  path: FlowPath,
  ifMatch: string | undefined,
  log: Logger,
): Promise<void> =>
  deleteWithPendingChange(database, principal, {
    projectId: path.project_id,
    ifMatch,
    log,
    read: (on, lock) => getFlow(on, principal, path, lock),
    etagOf: (row) => flowEtag(toFlow(row, channels)),
    changeOf: (row) => cancelPending({ projectId: row.project_id, flowIds: [row.id] }),
    remove: async (transaction, row) => {
      await transaction.em.nativeDelete(FlowEntity, { id: row.id })
    },
  })
