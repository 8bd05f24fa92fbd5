import type { Scope } from '@flowpost/contract'
import { ApiError } from '@flowpost/contract/server'
import { timestamp, type World } from '../state/world.ts'
import type { Principal } from './call.ts'

// RFC 6750, section 2.1; the scheme is matched without regard to case (RFC 9110, section 11.1).
const bearer = /^Bearer +([A-Za-z0-9._~+/-]{1,8192}=*)$/i

const unauthenticated = (detail: string, error?: 'invalid_token'): ApiError =>
  new ApiError('unauthenticated', detail, {
    headers: { 'WWW-Authenticate': `Bearer realm="flowpost"${error === undefined ? '' : `, error="${error}"`}` },
  })

/**
 * Who makes a request, if their credential has the scope.
 * @throws ApiError `unauthenticated` or `scope_missing`.
 */
export const authenticate = (world: World, headers: Headers, scope: Scope): Principal => {
  const header = headers.get('authorization')
  if (header === null) throw unauthenticated('Send an API key as `Authorization: Bearer <key>`.')
  const token = bearer.exec(header)?.[1]
  if (token === undefined) throw unauthenticated('The credential is not a bearer token. Send it as `Authorization: Bearer <key>`.')
  const key = [...world.store.apiKeys.values()].find((each) => each.token === token)
  if (!key || (key.expiresAt !== null && key.expiresAt <= world.clock.now()))
    throw unauthenticated('The credential is not valid: it is unknown, expired or revoked.', 'invalid_token')
  key.lastUsedAt = timestamp(world)
  if (!key.scopes.includes(scope))
    throw new ApiError('scope_missing', `The credential lacks the scope ${scope}.`, {
      // RFC 6750, section 3.1.
      headers: { 'WWW-Authenticate': `Bearer realm="flowpost", error="insufficient_scope", scope="${scope}"` },
    })
  return {
    userId: key.userId,
    scopes: key.scopes,
    keyId: key.id,
    ...(key.projectId === null ? {} : { projectId: key.projectId }),
    ...(key.expiresAt === null ? {} : { expiresAt: key.expiresAt }),
  }
}
