import type { OperationMetadata } from '@flowpost/contract'
import { invalidToken, parseBearerToken, requireAccess } from '@flowpost/contract/rules'
import type { Request, RequestHandler } from 'express'
import { clientAddress } from '../http/client-address.ts'
import { contextOf, principalOf } from '../http/request-context.ts'
import type { FailedAuthentication } from './failed-authentication.ts'
import type { Principal } from './principal.ts'

/** Returns the principal of a bearer token; `undefined` if the token is unknown, expired or revoked. */
export type VerifyToken = (token: string) => Promise<Principal | undefined>

/**
 * Creates a verifier that passes a token to `apiKey` or to `oidc`, depending on the token's prefix. Without `oidc`, only
 * API keys are valid.
 */
export const verifyByShape =
  (verify: { readonly apiKey: VerifyToken; readonly oidc: VerifyToken | undefined }): VerifyToken =>
  (token) =>
    token.startsWith('fp_') ? verify.apiKey(token) : (verify.oidc?.(token) ?? Promise.resolve(undefined))

/**
 * Returns the metadata of the matched route.
 * @throws Error if the route declares no scope. Such a route must not be served.
 */
const metadataOf = (request: Request): OperationMetadata => {
  const route = (request as { tsRestRoute?: { metadata?: OperationMetadata; path: string } }).tsRestRoute
  if (!route?.metadata?.scope) throw new Error(`The route ${route?.path ?? request.path} declares no scope.`)
  return route.metadata
}

/** Rejects requests without a valid credential and stores the principal in the request context. */
export const authenticate = (deps: { readonly verifyToken: VerifyToken; readonly failures: FailedAuthentication }): RequestHandler => {
  // The principals whose valid token was recorded with `failures.succeeded`. That call hashes the token, so it is made once per
  // cached principal instead of once per request.
  const reported = new WeakSet<Principal>()
  return async (request, response, next) => {
    const token = parseBearerToken(request.get('authorization'))
    const address = clientAddress(request.ip)
    await deps.failures.admit(address, token)
    const principal = await deps.verifyToken(token)
    if (!principal) {
      await deps.failures.failed(address, token)
      throw invalidToken()
    }
    if (!reported.has(principal)) deps.failures.succeeded(token)
    reported.add(principal)
    contextOf(response).principal = principal
    next()
  }
}

/**
 * Verifies a request's credential again. Call this function after the request has waited, because the credential may have
 * expired or been revoked in the meantime.
 * @throws ApiError `unauthenticated`, or `unavailable` when the OIDC issuer's keys cannot be fetched.
 */
export const verifyAgain = async (verifyToken: VerifyToken, authorization: string | undefined): Promise<void> => {
  if (!(await verifyToken(parseBearerToken(authorization)))) throw invalidToken()
}

/**
 * Rejects a request if its credential lacks the scope that the route requires, or if the credential is bound to a
 * project and the route does not accept bound credentials.
 */
export const requireScope: RequestHandler = (request, response, next) => {
  requireAccess(metadataOf(request), principalOf(response))
  next()
}
