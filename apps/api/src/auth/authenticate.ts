import type { OperationMetadata } from '@flowpost/contract'
import { invalidToken, parseBearerToken, requireAccess } from '@flowpost/contract/rules'
import type { Request, RequestHandler } from 'express'
import { clientAddress } from '../http/client-address.ts'
import { contextOf, principalOf } from '../http/request-context.ts'
import type { FailedAuthentication } from './failed-authentication.ts'
import type { Principal } from './principal.ts'

/** Finds who a bearer token belongs to; `undefined` for a token that is unknown, expired or revoked. */
export type VerifyToken = (token: string) => Promise<Principal | undefined>

/** Verifies API keys by one rule and, where an issuer is configured, everything else by another. */
export const verifyByShape =
  (verify: { readonly apiKey: VerifyToken; readonly oidc: VerifyToken | undefined }): VerifyToken =>
  (token) =>
    token.startsWith('fp_') ? verify.apiKey(token) : (verify.oidc?.(token) ?? Promise.resolve(undefined))

/** What the matched route declares; a route that declares nothing cannot be served. */
const metadataOf = (request: Request): OperationMetadata => {
  const route = (request as { tsRestRoute?: { metadata?: OperationMetadata; path: string } }).tsRestRoute
  if (!route?.metadata?.scope) throw new Error(`The route ${route?.path ?? request.path} declares no scope.`)
  return route.metadata
}

/** Lets a request pass when its credential is valid, and tells the handlers after it whose it is. */
export const authenticate = (deps: { readonly verifyToken: VerifyToken; readonly failures: FailedAuthentication }): RequestHandler => {
  // A principal is kept for moments, and its credential is remembered once in that time instead of for every request.
  const remembered = new WeakSet<Principal>()
  return async (request, response, next) => {
    const token = parseBearerToken(request.get('authorization'))
    const address = clientAddress(request.ip)
    await deps.failures.admit(address, token)
    const principal = await deps.verifyToken(token)
    if (!principal) {
      await deps.failures.failed(address, token)
      throw invalidToken()
    }
    if (!remembered.has(principal)) deps.failures.succeeded(token)
    remembered.add(principal)
    contextOf(response).principal = principal
    next()
  }
}

/**
 * Verifies the credential of a request that has waited, which may have been revoked or have expired meanwhile.
 * @throws ApiError `unauthenticated`.
 */
export const verifyAgain = async (verifyToken: VerifyToken, authorization: string | undefined): Promise<void> => {
  if (!(await verifyToken(parseBearerToken(authorization)))) throw invalidToken()
}

/** Lets a request pass when its credential has the scope that the matched route declares, and is not bound where that is not enough. */
export const requireScope: RequestHandler = (request, response, next) => {
  requireAccess(metadataOf(request), principalOf(response))
  next()
}
