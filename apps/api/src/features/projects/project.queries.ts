import type { Principal } from '../../auth/principal.ts'
import { pageLimit, type Queryable } from '../../database/database.ts'
import { notFound } from '../../shared/api-error.ts'
import { fromId, lowestUuid, type Uuid } from '../../shared/ids.ts'
import type { ProjectRow } from './project.serializer.ts'

const columns = 'id, name, key, created_at, updated_at'

const findProject = {
  none: { name: 'find-project', text: `select ${columns} from projects where id = $1 and user_id = $2` },
  share: `select ${columns} from projects where id = $1 and user_id = $2 for key share`,
  update: `select ${columns} from projects where id = $1 and user_id = $2 for update`,
}

const findProjectByKey = {
  none: `select ${columns} from projects where user_id = $1 and key = $2`,
  share: `select ${columns} from projects where user_id = $1 and key = $2 for key share`,
  update: `select ${columns} from projects where user_id = $1 and key = $2 for update`,
}

const projectsOfUser = {
  name: 'projects-of-user',
  text: `select ${columns} from projects where user_id = $1 and ($2::uuid is null or id = $2) and id > $3 order by id ${pageLimit('$4')}`,
}

/**
 * Converts a project id to its UUID. Does not check whether the project exists.
 * @throws ApiError `not_found` for a malformed id, or if the credential is bound to another project.
 */
export const projectUuid = (principal: Principal, id: string): Uuid => {
  const uuid = fromId('project', id)
  if (uuid === undefined || (principal.projectId !== undefined && principal.projectId !== uuid)) throw notFound()
  return uuid
}

/**
 * Reads a project that the principal may access.
 * @param lock the row lock to hold until the transaction ends: `update` prevents all changes, `share` prevents deletion.
 * @throws ApiError `not_found`.
 */
export const getProject = async (on: Queryable, principal: Principal, id: string, lock?: 'update' | 'share'): Promise<ProjectRow> => {
  const uuid = projectUuid(principal, id)
  const [row] = await on.query<ProjectRow>(findProject[lock ?? 'none'], [uuid, principal.userId])
  if (!row) throw notFound()
  return row
}

/**
 * Finds one of the user's projects by its `key`.
 * @param lock the row lock to hold until the transaction ends, as for {@link getProject}.
 * @returns `undefined` if there is no such project, or if the credential is bound to another project.
 */
export const findByKey = async (
  on: Queryable,
  principal: Principal,
  key: string,
  lock?: 'update' | 'share',
): Promise<ProjectRow | undefined> => {
  const [row] = await on.query<ProjectRow>(findProjectByKey[lock ?? 'none'], [principal.userId, key])
  return row && (principal.projectId ?? row.id) === row.id ? row : undefined
}

/**
 * Reads at most `count` projects that the principal may access, oldest first. Starts after the project with the UUID
 * `after`, if given.
 */
export const listProjects = (on: Queryable, principal: Principal, count: number, after: Uuid | undefined): Promise<ProjectRow[]> =>
  on.query<ProjectRow>(projectsOfUser, [principal.userId, principal.projectId ?? null, after ?? lowestUuid, count])
