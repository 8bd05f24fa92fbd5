import type { Logger } from 'pino'
import type { Principal } from '../../auth/principal.ts'
import type { Database } from '../../database/database.ts'
import { etagOf } from '../../http/etag.ts'
import type { Uuid } from '../../shared/ids.ts'
import { deleteWithPendingChange, type PendingChange } from './delete-with-pending-change.ts'
import { ProjectEntity } from './project.entity.ts'
import { getProject } from './project.queries.ts'
import { toProject } from './project.serializer.ts'

/**
 * Deletes a project with its flows, its credentials and the API keys that are bound to it, and cancels its pending deliveries.
 * @throws ApiError `not_found` or `etag_mismatch`.
 */
export const deleteProject = (
  database: Database,
  principal: Principal,
  id: string,
  ifMatch: string | undefined,
  cancelPending: (projectId: Uuid) => PendingChange,
  log: Logger,
): Promise<void> =>
  deleteWithPendingChange(database, principal, {
    projectId: id,
    ifMatch,
    log,
    read: (on) => getProject(on, principal, id),
    etagOf: (row) => etagOf(toProject(row)),
    changeOf: (row) => cancelPending(row.id),
    remove: async (transaction, row) => {
      await transaction.em.nativeDelete(ProjectEntity, { id: row.id })
    },
  })
