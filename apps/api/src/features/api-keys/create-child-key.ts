import type { ApiKeyCreate } from '@flowpost/contract'
import { apiKeyFaults, unauthenticated } from '@flowpost/contract/server'
import type { z } from 'zod'
import type { Principal } from '../../auth/principal.ts'
import type { UnitOfWork } from '../../database/database.ts'
import type { BodyCheck } from '../../http/check-bodies.ts'
import { validationFailed } from '../../shared/api-error.ts'
import type { Clock } from '../../shared/clock.ts'
import { toId, type Uuid } from '../../shared/ids.ts'
import { getProject } from '../projects/project.queries.ts'
import type { ApiKeyRow } from './api-key.serializer.ts'
import { insertKey, lockKeysOf } from './write-api-key.ts'

type Body = z.output<typeof ApiKeyCreate>

const excess = ({ scopes, expiresAt }: Principal, now: Date, body: unknown) =>
  apiKeyFaults({ scopes, expiresAt: expiresAt?.getTime() }, now.getTime(), body)

/** Tells what a body asks for in excess together with the faults of its shape. */
export const createApiKeyBodyCheck =
  (deps: { clock: Clock }): BodyCheck =>
  async (request, principal) =>
    excess(principal, deps.clock.now(), request.body)

/**
 * Makes a key for the user of a credential, with at most what that credential may do, for its project
 * and for no longer than it lasts. What is not asked for is as the credential has it.
 * @throws ApiError `validation_failed` for more than that, `not_found` for an unknown project, and
 * `unauthenticated` when the credential is revoked meanwhile.
 */
export const createChildKey = async (
  transaction: UnitOfWork,
  clock: Clock,
  principal: Principal,
  body: Body,
): Promise<{ row: ApiKeyRow; token: string }> => {
  const now = clock.now()
  const faults = excess(principal, now, body)
  if (faults.length > 0) throw validationFailed(faults)
  await lockKeysOf(transaction, principal.userId)
  // The project first: whoever deletes one takes it before its keys.
  const asked = body.project_id ?? (principal.projectId === undefined ? undefined : toId('project', principal.projectId))
  const project = asked === undefined ? undefined : await getProject(transaction, principal, asked, 'share')
  const rootId = await rootOf(transaction, principal)
  return insertKey(transaction, now, {
    userId: principal.userId,
    name: body.name,
    scopes: body.scopes ?? principal.scopes,
    projectId: project?.id ?? null,
    parentId: principal.keyId ?? null,
    rootId,
    expiresAt: body.expires_at === undefined ? (principal.expiresAt ?? null) : new Date(body.expires_at),
    bootstrap: false,
  })
}

/** The key that a credential, which must not be revoked, goes back to; `null` for a token. */
const rootOf = async (transaction: UnitOfWork, principal: Principal): Promise<Uuid | null> => {
  if (principal.keyId === undefined) return null
  const [row] = await transaction.query<{ root_id: Uuid }>(
    'select coalesce(root_id, id) as root_id from api_keys where id = $1 and revoked_at is null',
    [principal.keyId],
  )
  if (!row) throw unauthenticated('The credential has been revoked.', 'invalid_token')
  return row.root_id
}
