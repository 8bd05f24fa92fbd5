import type { OperationMetadata } from '@flowpost/contract'
import { invalidToken, parseBearerToken, requireAccess } from '@flowpost/contract/rules'
import { type MockContext, timestamp } from '../state/mock-context.ts'
import type { Principal } from './handler.ts'

/**
 * Rejects a principal whose key has expired or been revoked during the request.
 *
 * @throws {ApiError} `unauthenticated`.
 */
export const reverifyKey = (context: MockContext, { keyId }: Principal): void => {
  const key = context.store.apiKeys.get(keyId)
  if (!key || (key.expiresAt !== null && key.expiresAt <= context.clock.now())) throw invalidToken()
}

/**
 * Authenticates a request and checks its scope.
 *
 * @throws {ApiError} `unauthenticated` or `scope_missing`.
 */
export const authenticate = (context: MockContext, headers: Headers, metadata: OperationMetadata): Principal => {
  const token = parseBearerToken(headers.get('authorization'))
  const key = [...context.store.apiKeys.values()].find((candidate) => candidate.token === token)
  if (!key || (key.expiresAt !== null && key.expiresAt <= context.clock.now())) throw invalidToken()
  key.lastUsedAt = timestamp(context)
  const principal: Principal = {
    userId: key.userId,
    scopes: key.scopes,
    mode: key.mode,
    keyId: key.id,
    ...(key.projectId === null ? {} : { projectId: key.projectId }),
    ...(key.expiresAt === null ? {} : { expiresAt: key.expiresAt }),
  }
  requireAccess(metadata, principal)
  return principal
}
