import type { ProjectCreate } from '@flowpost/contract'
import type { z } from 'zod'
import type { Author } from '../../auth/principal.ts'
import type { UnitOfWork } from '../../database/database.ts'
import type { Clock } from '../../shared/clock.ts'
import { newUuid } from '../../shared/ids.ts'
import { recordChanges } from '../settings-history/record-changes.ts'
import { ProjectEntity } from './project.entity.ts'
import { type ProjectRow, projectState } from './project.serializer.ts'
import { rejectTaken } from './reject-taken.ts'

/**
 * Creates a project.
 * @throws ApiError `project_name_taken` or `key_taken`.
 */
export const createProject = async (
  transaction: UnitOfWork,
  clock: Clock,
  author: Author,
  body: z.output<typeof ProjectCreate>,
): Promise<ProjectRow> => {
  const now = clock.now()
  const row = { id: newUuid(), name: body.name, key: body.key ?? null, created_at: now, updated_at: now }
  transaction.em.create(ProjectEntity, {
    id: row.id,
    userId: author.userId,
    name: row.name,
    key: row.key,
    createdAt: now,
    updatedAt: now,
  })
  await rejectTaken(() => transaction.em.flush())
  await recordChanges(transaction, author, [
    { kind: 'project', projectId: row.id, resourceId: row.id, at: now, before: null, after: projectState(row) },
  ])
  return row
}
