import { requireMatch } from '@flowpost/contract/rules'
import type { Principal } from '../../auth/principal.ts'
import { projectTag } from '../../cache-tags.ts'
import type { Database, Queryable } from '../../database/database.ts'
import { etagOf } from '../../http/etag.ts'
import type { Uuid } from '../../shared/ids.ts'
import { ProjectEntity } from './project.entity.ts'
import { getProject } from './project.queries.ts'
import { toProject } from './project.serializer.ts'

/** A change of the pending deliveries of a project, made when the project, a flow or a credential of it is deleted. */
export interface PendingChange {
  /** Makes most of the change in committed transactions, so that the last one is short, however many deliveries there are. */
  ahead(database: Database): Promise<void>
  /** Makes the rest of the change in the caller's transaction, which has locked the project against new deliveries. */
  rest(transaction: Queryable): Promise<void>
}

/**
 * Deletes a project with its flows and credentials, and cancels its pending deliveries.
 * @throws ApiError `not_found` or `etag_mismatch`.
 */
export const deleteProject = async (
  database: Database,
  principal: Principal,
  id: string,
  ifMatch: string | undefined,
  cancelPending: (projectId: Uuid) => PendingChange,
): Promise<void> => {
  const stored = await getProject(database, principal, id)
  requireMatch(ifMatch, () => etagOf(toProject(stored)))
  const cancellation = cancelPending(stored.id)
  await cancellation.ahead(database)
  await database.unitOfWork(async (transaction) => {
    const row = await getProject(transaction, principal, id, 'update')
    requireMatch(ifMatch, () => etagOf(toProject(row)))
    await cancellation.rest(transaction)
    await transaction.em.nativeDelete(ProjectEntity, { id: row.id })
    transaction.invalidate(projectTag(row.id))
  })
}
