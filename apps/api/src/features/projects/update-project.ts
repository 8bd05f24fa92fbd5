import type { ProjectUpdate } from '@flowpost/contract'
import { requireMatch } from '@flowpost/contract/rules'
import type { z } from 'zod'
import type { Principal } from '../../auth/principal.ts'
import { projectTag } from '../../cache-tags.ts'
import type { UnitOfWork } from '../../database/database.ts'
import { etagOf } from '../../http/etag.ts'
import type { Clock } from '../../shared/clock.ts'
import { ProjectEntity } from './project.entity.ts'
import { getProject } from './project.queries.ts'
import { type ProjectRow, toProject } from './project.serializer.ts'
import { rejectTaken } from './reject-taken.ts'

/**
 * Renames a project, and changes its key if one is given.
 * @throws ApiError `not_found`, `etag_mismatch`, `project_name_taken` or `key_taken`.
 */
export const updateProject = async (
  transaction: UnitOfWork,
  clock: Clock,
  principal: Principal,
  id: string,
  ifMatch: string | undefined,
  body: z.output<typeof ProjectUpdate>,
): Promise<ProjectRow> => {
  const stored = await getProject(transaction, principal, id, 'update')
  requireMatch(ifMatch, () => etagOf(toProject(stored)))
  const now = clock.now()
  const { name, key = stored.key } = body
  await rejectTaken(() => transaction.em.nativeUpdate(ProjectEntity, { id: stored.id }, { name, key, updatedAt: now }))
  transaction.invalidate(projectTag(stored.id))
  return { ...stored, name, key, updated_at: now }
}
