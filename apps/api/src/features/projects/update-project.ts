import { requireMatch } from '@flowpost/contract/rules'
import type { Principal } from '../../auth/principal.ts'
import { projectTag } from '../../cache-tags.ts'
import type { UnitOfWork } from '../../database/database.ts'
import { etagOf } from '../../http/etag.ts'
import type { Clock } from '../../shared/clock.ts'
import { ProjectEntity } from './project.entity.ts'
import { getProject } from './project.queries.ts'
import { type ProjectRow, toProject } from './project.serializer.ts'
import { rejectTakenName } from './project-name.ts'

/**
 * Renames a project.
 * @throws ApiError `not_found`, `etag_mismatch` or `project_name_taken`.
 */
export const updateProject = async (
  transaction: UnitOfWork,
  clock: Clock,
  principal: Principal,
  id: string,
  ifMatch: string | undefined,
  body: { name: string },
): Promise<ProjectRow> => {
  const stored = await getProject(transaction, principal, id, 'update')
  requireMatch(ifMatch, () => etagOf(toProject(stored)))
  const now = clock.now()
  await rejectTakenName(() => transaction.em.nativeUpdate(ProjectEntity, { id: stored.id }, { name: body.name, updatedAt: now }))
  transaction.invalidate(projectTag(stored.id))
  return { ...stored, name: body.name, updated_at: now }
}
