import type { OperationMetadata, Scope } from '../access.ts'
import { ApiError } from './api-error.ts'

// RFC 6750, section 2.1; the scheme is matched without regard to case (RFC 9110, section 11.1).
const bearer = /^Bearer +([A-Za-z0-9._~+/-]{1,8192}=*)$/i

/**
 * The answer to a request without a valid credential.
 * @param error `invalid_token` when there was a credential; none when there was not (RFC 6750, section 3.1).
 */
export const unauthenticated = (detail: string, error?: 'invalid_token'): ApiError =>
  new ApiError('unauthenticated', detail, {
    headers: { 'WWW-Authenticate': `Bearer realm="flowpost"${error === undefined ? '' : `, error="${error}"`}` },
  })

/**
 * The token of the header `Authorization`.
 * @throws ApiError `unauthenticated` when there is none.
 */
export const bearerToken = (authorization: string | null | undefined): string => {
  if (authorization == null) throw unauthenticated('Send an API key as `Authorization: Bearer <key>`.')
  const token = bearer.exec(authorization)?.[1]
  if (token === undefined) throw unauthenticated('The credential is not a bearer token. Send it as `Authorization: Bearer <key>`.')
  return token
}

/** The answer to a token that belongs to nobody, or no longer. */
export const invalidToken = (): ApiError =>
  unauthenticated('The credential is not valid: it is unknown, expired or revoked.', 'invalid_token')

/**
 * Lets a credential pass that has the scope which an operation declares, and is not bound where that is not enough.
 * Decided before the body is read and anything is looked up.
 * @throws ApiError `scope_missing`.
 */
export const requireAccess = (
  { scope, unbound }: Pick<OperationMetadata, 'scope' | 'unbound'>,
  credential: { readonly scopes: readonly Scope[]; readonly projectId?: string },
): void => {
  const refuse = (detail: string): never => {
    throw new ApiError('scope_missing', detail, {
      // RFC 6750, section 3.1.
      headers: { 'WWW-Authenticate': `Bearer realm="flowpost", error="insufficient_scope", scope="${scope}"` },
    })
  }
  if (!credential.scopes.includes(scope)) refuse(`The credential lacks the scope ${scope}.`)
  if (unbound && credential.projectId !== undefined)
    refuse('A credential that is bound to one project can neither create nor delete projects.')
}
