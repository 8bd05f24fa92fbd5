import type { OperationMetadata } from '@flowpost/contract'
import type { Request, RequestHandler } from 'express'
import { ApiError } from '../shared/api-error.ts'
import type { Principal } from '../shared/principal.ts'
import { contextOf, principalOf } from '../shared/request-context.ts'
import { clientAddress } from './client-address.ts'
import type { FailedAuthentication } from './failed-authentication.ts'

/** Finds who a bearer token belongs to; `undefined` for a token that is unknown, expired or revoked. */
export type VerifyToken = (token: string) => Promise<Principal | undefined>

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

/** Verifies API keys by one rule and, where an issuer is configured, everything else by another. */
export const verifyByShape =
  (verify: { readonly apiKey: VerifyToken; readonly oidc: VerifyToken | undefined }): VerifyToken =>
  async (token) =>
    token.startsWith('fp_') ? verify.apiKey(token) : verify.oidc?.(token)

/** What the matched route declares; a route that declares nothing cannot be served. */
const metadataOf = (request: Request): OperationMetadata => {
  const route = (request as { tsRestRoute?: { metadata?: OperationMetadata; path: string } }).tsRestRoute
  if (!route?.metadata?.scope) throw new Error(`The route ${route?.path ?? request.path} declares no scope.`)
  return route.metadata
}

/** Lets a request pass when its credential is valid, and tells the handlers after it whose it is. */
export const authenticate =
  (deps: { readonly verifyToken: VerifyToken; readonly failures: FailedAuthentication }): RequestHandler =>
  async (request, response, next) => {
    const header = request.get('authorization')
    if (header === undefined) throw unauthenticated('Send an API key as `Authorization: Bearer <key>`.')
    const token = bearer.exec(header)?.[1]
    if (token === undefined) throw unauthenticated('The credential is not a bearer token. Send it as `Authorization: Bearer <key>`.')
    const address = clientAddress(request.ip)
    await deps.failures.admit(address, token)
    const principal = await deps.verifyToken(token)
    if (!principal) {
      await deps.failures.failed(address, token)
      throw unauthenticated('The credential is not valid: it is unknown, expired or revoked.', 'invalid_token')
    }
    deps.failures.succeeded(token)
    contextOf(response).principal = principal
    next()
  }

/** Lets a request pass when its credential has the scope that the matched route declares, and is not bound where that is not enough. */
export const requireScope: RequestHandler = (request, response, next) => {
  const { scope, unbound } = metadataOf(request)
  const { scopes, projectId } = principalOf(response)
  const refuse = (detail: string): never => {
    throw new ApiError('scope_missing', detail, {
      // RFC 6750, section 3.1.
      headers: { 'WWW-Authenticate': `Bearer realm="flowpost", error="insufficient_scope", scope="${scope}"` },
    })
  }
  if (!scopes.includes(scope)) refuse(`The credential lacks the scope ${scope}.`)
  if (unbound && projectId !== undefined) refuse('A credential that is bound to one project can neither create nor delete projects.')
  next()
}
