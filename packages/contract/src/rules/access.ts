import type { OperationMetadata, Scope } from '../access.ts'
import { ApiError } from './api-error.ts'

// The syntax of RFC 6750, section 2.1. The scheme is case-insensitive (RFC 9110, section 11.1).
const bearer = /^Bearer +([A-Za-z0-9._~+/-]{1,8192}=*)$/i

/**
 * Returns the error for a request without a valid credential.
 * @param error `invalid_token` if the credential is invalid, `undefined` if it is missing (RFC 6750, section 3.1).
 */
export const unauthenticated = (detail: string, error?: 'invalid_token'): ApiError =>
  new ApiError('unauthenticated', detail, {
    headers: { 'WWW-Authenticate': `Bearer realm="flowpost"${error === undefined ? '' : `, error="${error}"`}` },
  })

/**
 * Returns the bearer token in an `Authorization` header.
 * @throws ApiError `unauthenticated` if the header is missing or contains no bearer token.
 */
export const parseBearerToken = (authorization: string | null | undefined): string => {
  if (authorization == null) throw unauthenticated('Send an API key as `Authorization: Bearer <key>`.')
  const token = bearer.exec(authorization)?.[1]
  if (token === undefined)
    throw unauthenticated('The `Authorization` header is not `Bearer <key>`, or the key contains a character that no key has.')
  return token
}

/** Returns the error for a token that is unknown, expired or revoked. */
export const invalidToken = (): ApiError =>
  unauthenticated('The credential is not valid: it is unknown, expired or revoked.', 'invalid_token')

/**
 * Rejects a credential that lacks the scope of an operation. If the operation requires an unbound credential, also
 * rejects a credential that is bound to a project. Runs before the body is read.
 * @throws ApiError `scope_missing`.
 */
export const requireAccess = (
  { scope, unbound }: Pick<OperationMetadata, 'scope' | 'unbound'>,
  credential: { readonly scopes: readonly Scope[]; readonly projectId?: string },
): void => {
  const reject = (detail: string): never => {
    throw new ApiError('scope_missing', detail, {
      // RFC 6750, section 3.1.
      headers: { 'WWW-Authenticate': `Bearer realm="flowpost", error="insufficient_scope", scope="${scope}"` },
    })
  }
  if (!credential.scopes.includes(scope)) reject(`The credential lacks the scope ${scope}.`)
  if (unbound && credential.projectId !== undefined) reject('This operation needs a credential that is not bound to one project.')
}
