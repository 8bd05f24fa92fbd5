import type { Principal } from '../../auth/principal.ts'
import type { UnitOfWork } from '../../database/database.ts'
import type { Clock } from '../../shared/clock.ts'
import { newUuid } from '../../shared/ids.ts'
import { ProjectEntity } from './project.entity.ts'
import type { ProjectRow } from './project.serializer.ts'
import { rejectTakenName } from './project-name.ts'

/**
 * Creates a project.
 * @throws ApiError `project_name_taken`.
 */
export const createProject = async (
  transaction: UnitOfWork,
  clock: Clock,
  principal: Principal,
  body: { name: string },
): Promise<ProjectRow> => {
  const now = clock.now()
  const row = { id: newUuid(), name: body.name, created_at: now, updated_at: now }
  transaction.em.create(ProjectEntity, { id: row.id, userId: principal.userId, name: row.name, createdAt: now, updatedAt: now })
  await rejectTakenName(() => transaction.em.flush())
  return row
}
