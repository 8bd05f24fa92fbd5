import type { OperationMetadata } from '@flowpost/contract'
import { invalidToken, parseBearerToken, requireAccess } from '@flowpost/contract/rules'
import { timestamp, type World } from '../state/world.ts'
import type { Principal } from './call.ts'

/**
 * Rejects a principal whose key was revoked or has expired since the request came.
 * @throws ApiError `unauthenticated`.
 */
export const verifyAgain = (world: World, { keyId }: Principal): void => {
  const key = world.store.apiKeys.get(keyId)
  if (!key || (key.expiresAt !== null && key.expiresAt <= world.clock.now())) throw invalidToken()
}

/**
 * Who makes a request, if their credential may.
 * @throws ApiError `unauthenticated` or `scope_missing`.
 */
export const authenticate = (world: World, headers: Headers, metadata: OperationMetadata): Principal => {
  const token = parseBearerToken(headers.get('authorization'))
  const key = [...world.store.apiKeys.values()].find((each) => each.token === token)
  if (!key || (key.expiresAt !== null && key.expiresAt <= world.clock.now())) throw invalidToken()
  key.lastUsedAt = timestamp(world)
  const principal: Principal = {
    userId: key.userId,
    scopes: key.scopes,
    keyId: key.id,
    ...(key.projectId === null ? {} : { projectId: key.projectId }),
    ...(key.expiresAt === null ? {} : { expiresAt: key.expiresAt }),
  }
  requireAccess(metadata, principal)
  return principal
}
