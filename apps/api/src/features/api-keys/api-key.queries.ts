import type { KeyMode, Scope } from '@flowpost/contract'
import type { Principal } from '../../auth/principal.ts'
import { pageLimit, type Queryable } from '../../database/database.ts'
import { notFound } from '../../shared/api-error.ts'
import { fromId, lowestUuid, type Uuid } from '../../shared/ids.ts'
import type { ApiKeyRow } from './api-key.serializer.ts'

const columns = 'id, user_id, name, scopes, mode, project_id, expires_at, last_used_at, created_at'

/**
 * Reads at most `count` unrevoked keys that the principal may access, oldest first. Starts after the key with the UUID
 * `after`, if given.
 */
export const listApiKeys = (on: Queryable, principal: Principal, count: number, after: Uuid | undefined): Promise<ApiKeyRow[]> =>
  on.query<ApiKeyRow>(
    `select ${columns} from api_keys
     where user_id = $1 and ($2::uuid is null or project_id = $2) and revoked_at is null and id > $3
     order by id ${pageLimit('$4')}`,
    [principal.userId, principal.projectId ?? null, after ?? lowestUuid, count],
  )

/** The API key columns that determine who may revoke the key. */
export interface RevocableKeyRow {
  readonly id: Uuid
  readonly scopes: readonly Scope[]
  readonly mode: KeyMode
  readonly expires_at: string | null
  readonly bootstrap: boolean
  /** The ids of the keys that created this key, directly or indirectly. */
  readonly ancestor_ids: readonly Uuid[]
}

/**
 * Reads an unrevoked key of the principal's user. A credential that is bound to a project can read only that project's
 * keys.
 * @throws ApiError `not_found`.
 */
export const getRevocableKey = async (on: Queryable, principal: Principal, id: string): Promise<RevocableKeyRow> => {
  const uuid = fromId('apiKey', id)
  if (uuid === undefined) throw notFound()
  const [row] = await on.query<RevocableKeyRow>(
    `with recursive ancestors as (
       select parent_id as id from api_keys where id = $1 and parent_id is not null
       union select parent.parent_id from api_keys parent join ancestors on parent.id = ancestors.id where parent.parent_id is not null
     )
     select id, scopes, mode, expires_at, bootstrap, array(select id from ancestors) as ancestor_ids from api_keys
     where id = $1 and user_id = $2 and ($3::uuid is null or project_id = $3) and revoked_at is null`,
    [uuid, principal.userId, principal.projectId ?? null],
  )
  if (!row) throw notFound()
  return row
}

/** Reads one user's unrevoked keys, or all users' if `userId` is `undefined`. Sorts them by user, then oldest first. */
export const listKeysOfUsers = (on: Queryable, userId: string | undefined): Promise<ApiKeyRow[]> =>
  on.query<ApiKeyRow>(
    `select ${columns} from api_keys where ($1::text is null or user_id = $1) and revoked_at is null order by user_id, id`,
    [userId ?? null],
  )
