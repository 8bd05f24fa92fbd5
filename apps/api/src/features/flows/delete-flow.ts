import type { Channels } from '@flowpost/domain'
import type { Logger } from 'pino'
import type { Author } from '../../auth/principal.ts'
import type { Database } from '../../database/database.ts'
import { type Clock, timeOfChange } from '../../shared/clock.ts'
import type { Uuid } from '../../shared/ids.ts'
import { deleteWithPendingChange, type PendingChange } from '../projects/delete-with-pending-change.ts'
import { recordChanges } from '../settings-history/record-changes.ts'
import { FlowEntity } from './flow.entity.ts'
import { type FlowPath, getFlow } from './flow.queries.ts'
import { flowEtag, flowState, toFlow } from './flow.serializer.ts'

/** The dependencies of {@link deleteFlow}. */
export interface DeleteFlowDeps {
  readonly clock: Clock
  readonly channels: Channels
  /** Returns the change that cancels the flows' pending deliveries. */
  readonly cancelPending: (flows: { readonly projectId: Uuid; readonly flowIds: readonly Uuid[] }) => PendingChange
}

/**
 * Deletes a flow and cancels its pending deliveries.
 * @throws ApiError `not_found` or `etag_mismatch`.
 */
export const deleteFlow = (
  database: Database,
  { clock, channels, cancelPending }: DeleteFlowDeps,
  author: Author,
  path: FlowPath,
  ifMatch: string | undefined,
  log: Logger,
): Promise<void> =>
  deleteWithPendingChange(database, author, {
    projectId: path.project_id,
    ifMatch,
    log,
    read: (on, lock) => getFlow(on, author, path, lock),
    etagOf: (row) => flowEtag(toFlow(row, channels)),
    changeOf: (row) => cancelPending({ projectId: row.project_id, flowIds: [row.id] }),
    remove: async (transaction, row) => {
      await transaction.em.nativeDelete(FlowEntity, { id: row.id })
      await recordChanges(transaction, author, [
        {
          kind: 'flow',
          projectId: row.project_id,
          resourceId: row.id,
          at: timeOfChange(clock, row),
          before: flowState(row),
          after: null,
        },
      ])
    },
  })
