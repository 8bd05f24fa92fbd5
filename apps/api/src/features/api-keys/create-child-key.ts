import type { ApiKeyCreate, FieldError } from '@flowpost/contract'
import { findApiKeyErrors, unauthenticated } from '@flowpost/contract/rules'
import type { z } from 'zod'
import type { Principal } from '../../auth/principal.ts'
import type { UnitOfWork } from '../../database/database.ts'
import { validationFailed } from '../../shared/api-error.ts'
import type { Clock } from '../../shared/clock.ts'
import { toId, type Uuid } from '../../shared/ids.ts'
import { getProject } from '../projects/project.queries.ts'
import type { ApiKeyRow } from './api-key.serializer.ts'
import { insertKey, lockKeysOf } from './insert-key.ts'

/** Returns an error for each right that the body requests but the credential does not have. */
export const findExcessRights = ({ scopes, mode, expiresAt }: Principal, now: Date, body: unknown): FieldError[] =>
  findApiKeyErrors({ scopes, mode, expiresAt: expiresAt?.getTime() }, now.getTime(), body)

/**
 * Creates an API key for the principal's user. The key has at most the rights of the credential that creates it. If the
 * body omits the scopes, mode, project or expiry, the key inherits the credential's value.
 * @throws ApiError `validation_failed` if the body requests more rights than the credential has, `not_found` for an
 * unknown project, and `unauthenticated` if the credential has been revoked since the request was authenticated.
 */
export const createChildKey = async (
  transaction: UnitOfWork,
  clock: Clock,
  principal: Principal,
  body: z.output<typeof ApiKeyCreate>,
): Promise<{ row: ApiKeyRow; token: string }> => {
  const now = clock.now()
  const errors = findExcessRights(principal, now, body)
  if (errors.length > 0) throw validationFailed(errors)
  await lockKeysOf(transaction, principal.userId)
  const requestedId = body.project_id ?? (principal.projectId === undefined ? undefined : toId('project', principal.projectId))
  // Locks the project before inserting the key. A transaction that deletes the project uses the same order (the project first,
  // then its keys), so the two transactions cannot deadlock.
  const project = requestedId === undefined ? undefined : await getProject(transaction, principal, requestedId, 'share')
  const rootId = await findRootId(transaction, principal)
  return insertKey(transaction, now, {
    userId: principal.userId,
    name: body.name,
    scopes: body.scopes ?? principal.scopes,
    mode: body.mode ?? principal.mode,
    projectId: project?.id ?? null,
    parentId: principal.keyId ?? null,
    rootId,
    expiresAt: body.expires_at === undefined ? (principal.expiresAt ?? null) : new Date(body.expires_at),
    bootstrap: false,
  })
}

/**
 * Returns the id of the oldest ancestor of the principal's key, or the key's own id if it has no parent. Returns `null`
 * for an OIDC token.
 * @throws ApiError `unauthenticated` for a revoked key.
 */
const findRootId = async (transaction: UnitOfWork, principal: Principal): Promise<Uuid | null> => {
  if (principal.keyId === undefined) return null
  const [row] = await transaction.query<{ root_id: Uuid }>(
    'select coalesce(root_id, id) as root_id from api_keys where id = $1 and revoked_at is null',
    [principal.keyId],
  )
  if (!row) throw unauthenticated('The credential has been revoked.', 'invalid_token')
  return row.root_id
}
