import type { OperationMetadata } from '@flowpost/contract'
import type { Request, RequestHandler } from 'express'
import { ApiError } from '../shared/api-error.ts'
import type { Principal } from '../shared/principal.ts'
import { contextOf } from '../shared/request-context.ts'

/** Finds who a bearer token belongs to; `undefined` for a token that is unknown, expired or revoked. */
export type VerifyToken = (token: string) => Promise<Principal | undefined>

// RFC 6750, section 2.1; the scheme is matched without regard to case (RFC 9110, section 11.1).
const bearer = /^Bearer +([A-Za-z0-9._~+/-]{1,8192}=*)$/i

const unauthenticated = (detail: string): ApiError =>
  new ApiError('unauthenticated', detail, { headers: { 'WWW-Authenticate': 'Bearer realm="flowpost"' } })

/** What the matched route declares; a route that declares nothing cannot be served. */
const metadataOf = (request: Request): OperationMetadata => {
  const route = (request as { tsRestRoute?: { metadata?: OperationMetadata; path: string } }).tsRestRoute
  if (!route?.metadata?.scope) throw new Error(`The route ${route?.path ?? request.path} declares no scope.`)
  return route.metadata
}

/** Lets a request pass when its credential is valid and has the scope that the route declares. */
export const authenticate =
  (verify: VerifyToken): RequestHandler =>
  async (request, response, next) => {
    const { scope } = metadataOf(request)
    const header = request.get('authorization')
    if (header === undefined) throw unauthenticated('Send an API key as `Authorization: Bearer <key>`.')
    const token = bearer.exec(header)?.[1]
    const principal = token === undefined ? undefined : await verify(token)
    if (!principal) throw unauthenticated('The credential is not valid: it is unknown, expired or revoked.')
    contextOf(response).principal = principal
    if (!principal.scopes.includes(scope)) throw new ApiError('scope_missing', `The credential lacks the scope ${scope}.`)
    next()
  }
