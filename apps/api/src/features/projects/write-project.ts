import type { Principal } from '../../auth/principal.ts'
import { projectTag } from '../../cache-tags.ts'
import type { Database, UnitOfWork } from '../../database/database.ts'
import { brokenUniqueConstraint } from '../../database/failures.ts'
import { etagOf, requireMatch } from '../../http/etag.ts'
import { ApiError } from '../../shared/api-error.ts'
import type { Clock } from '../../shared/clock.ts'
import { newUuid, type Uuid } from '../../shared/ids.ts'
import type { PendingChange } from './pending-change.ts'
import { ProjectEntity } from './project.entity.ts'
import { getProject } from './project.queries.ts'
import { type ProjectRow, toProject } from './project.serializer.ts'

const nameTaken = (cause: unknown): ApiError =>
  new ApiError('project_name_taken', 'Another project of this user has this name. Choose another name.', {
    cause,
    errors: [{ in: 'body', pointer: '/name', code: 'invalid_value', message: 'Is the name of another project of this user.' }],
  })

/** Runs a write of a project's name; the database alone decides who gets a name that two want at once. */
const claimingName = async <T>(write: () => Promise<T>): Promise<T> => {
  try {
    return await write()
  } catch (error) {
    if (brokenUniqueConstraint(error) === 'projects_user_id_name_unique') throw nameTaken(error)
    throw error
  }
}

/**
 * Makes a project.
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
  await claimingName(() => transaction.em.flush())
  return row
}

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
  const before = await getProject(transaction, principal, id, 'update')
  requireMatch(ifMatch, () => etagOf(toProject(before)))
  const now = clock.now()
  await claimingName(() => transaction.em.nativeUpdate(ProjectEntity, { id: before.id }, { name: body.name, updatedAt: now }))
  transaction.invalidate(projectTag(before.id))
  return { ...before, name: body.name, updated_at: now }
}

/**
 * Deletes a project with its flows and credentials; `cancelPending` cancels its pending deliveries.
 * @throws ApiError `not_found` or `etag_mismatch`.
 */
export const deleteProject = async (
  database: Database,
  principal: Principal,
  id: string,
  ifMatch: string | undefined,
  cancelPending: (projectId: Uuid) => PendingChange,
): Promise<void> => {
  const found = await getProject(database, principal, id)
  requireMatch(ifMatch, () => etagOf(toProject(found)))
  const cancellation = cancelPending(found.id)
  await cancellation.ahead(database)
  await database.unitOfWork(async (transaction) => {
    const row = await getProject(transaction, principal, id, 'update')
    requireMatch(ifMatch, () => etagOf(toProject(row)))
    await cancellation.rest(transaction)
    await transaction.em.nativeDelete(ProjectEntity, { id: row.id })
    transaction.invalidate(projectTag(row.id))
  })
}
