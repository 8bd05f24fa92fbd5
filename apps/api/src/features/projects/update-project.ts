import type { ProjectUpdate } from '@flowpost/contract'
import { requireMatch } from '@flowpost/contract/rules'
import type { z } from 'zod'
import type { Author } from '../../auth/principal.ts'
import { projectTag } from '../../cache-tags.ts'
import type { UnitOfWork } from '../../database/database.ts'
import { etagOf } from '../../http/etag.ts'
import { type Clock, timeOfChange } from '../../shared/clock.ts'
import { recordChanges } from '../settings-history/record-changes.ts'
import { ProjectEntity } from './project.entity.ts'
import { getProject } from './project.queries.ts'
import { type ProjectRow, projectState, toProject } from './project.serializer.ts'
import { rejectTaken } from './reject-taken.ts'

/**
 * Renames a project, and changes its key if the body has one.
 * @throws ApiError `not_found`, `etag_mismatch`, `project_name_taken` or `key_taken`.
 */
export const updateProject = async (
  transaction: UnitOfWork,
  clock: Clock,
  author: Author,
  id: string,
  ifMatch: string | undefined,
  body: z.output<typeof ProjectUpdate>,
): Promise<ProjectRow> => {
  const stored = await getProject(transaction, author, id, 'update')
  requireMatch(ifMatch, () => etagOf(toProject(stored)))
  const now = timeOfChange(clock, stored)
  const { name, key = stored.key } = body
  await rejectTaken(() => transaction.em.nativeUpdate(ProjectEntity, { id: stored.id }, { name, key, updatedAt: now }))
  transaction.invalidate(projectTag(stored.id))
  const row = { ...stored, name, key, updated_at: now }
  await recordChanges(transaction, author, [
    { kind: 'project', projectId: row.id, resourceId: row.id, at: now, before: projectState(stored), after: projectState(row) },
  ])
  return row
}
