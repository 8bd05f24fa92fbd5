import { requireMatch } from '@flowpost/contract/rules'
import type { Channels } from '@flowpost/domain'
import type { Principal } from '../../auth/principal.ts'
import { projectTag } from '../../cache-tags.ts'
import type { Database } from '../../database/database.ts'
import type { Uuid } from '../../shared/ids.ts'
import type { PendingChange } from '../projects/delete-project.ts'
import { getProject } from '../projects/project.queries.ts'
import { FlowEntity } from './flow.entity.ts'
import { type FlowPath, getFlow } from './flow.queries.ts'
import { flowEtag, toFlow } from './flow.serializer.ts'

/** The dependencies of {@link deleteFlow}. */
export interface DeleteFlowDeps {
  readonly channels: Channels
  /** Cancels the pending deliveries of a flow. */
  readonly cancelPending: (flow: { readonly projectId: Uuid; readonly flowId: Uuid }) => PendingChange
}

/**
 * Deletes a flow and cancels its pending deliveries.
 * @throws ApiError `not_found` or `etag_mismatch`.
 */
export const deleteFlow = async (
  database: Database,
  { channels, cancelPending }: DeleteFlowDeps,
  principal: Principal,
  path: FlowPath,
  ifMatch: string | undefined,
): Promise<void> => {
  const stored = await getFlow(database, principal, path)
  requireMatch(ifMatch, () => flowEtag(toFlow(stored, channels)))
  const cancellation = cancelPending({ projectId: stored.project_id, flowId: stored.id })
  await cancellation.ahead(database)
  await database.unitOfWork(async (transaction) => {
    // Notifications are locked before flows: see the lock order of `recordOutcomes`. A rejection below undoes this part of the cancellation.
    await getProject(transaction, principal, path.project_id, 'update')
    await cancellation.rest(transaction)
    const row = await getFlow(transaction, principal, path, true)
    requireMatch(ifMatch, () => flowEtag(toFlow(row, channels)))
    await transaction.em.nativeDelete(FlowEntity, { id: row.id })
    transaction.invalidate(projectTag(row.project_id))
  })
}
