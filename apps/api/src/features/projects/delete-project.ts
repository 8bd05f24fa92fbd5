import type { Logger } from 'pino'
import type { Author } from '../../auth/principal.ts'
import type { Database } from '../../database/database.ts'
import { etagOf } from '../../http/etag.ts'
import type { Clock } from '../../shared/clock.ts'
import type { Uuid } from '../../shared/ids.ts'
import { recordProjectDeletion } from '../settings-history/record-project-deletion.ts'
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
  clock: Clock,
  author: Author,
  id: string,
  ifMatch: string | undefined,
  cancelPending: (projectId: Uuid) => PendingChange,
  log: Logger,
): Promise<void> =>
  deleteWithPendingChange(database, author, {
    projectId: id,
    ifMatch,
    log,
    read: (on) => getProject(on, author, id),
    etagOf: (row) => etagOf(toProject(row)),
    changeOf: (row) => cancelPending(row.id),
    remove: async (transaction, row) => {
      await recordProjectDeletion(transaction, clock, author, row)
      await transaction.em.nativeDelete(ProjectEntity, { id: row.id })
    },
  })
