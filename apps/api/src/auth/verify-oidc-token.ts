import { createHash } from 'node:crypto'
import { scopes } from '@flowpost/contract'
import { decodeJwt, decodeProtectedHeader, errors, type JWTPayload, type JWTVerifyGetKey, type JWTVerifyOptions, jwtVerify } from 'jose'
import { unavailable } from '../shared/api-error.ts'
import type { Clock } from '../shared/clock.ts'
import type { VerifyToken } from './authenticate.ts'
import { type Issuer, IssuerUnavailableError } from './oidc-issuer.ts'
import type { Principal } from './principal.ts'

// Asymmetric algorithms only: if a symmetric one were allowed, anyone could sign tokens with the issuer's public key as the
// secret. RFC 8725, sections 3.1 and 3.2.
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']
const clockToleranceSeconds = 30
// The last instant that RFC 3339 can express.
const lastInstantMs = Date.parse('9999-12-31T23:59:59.999Z')
// OpenID Connect Core 1.0, section 2: at most 255 ASCII characters.
const subject = /^[\x20-\x7e]{1,255}$/

/**
 * Returns the user id for an access token's subject. It never equals a user id that an operator chose, because those must not
 * start with `oidc:`.
 */
const oidcUserId = (issuer: string, sub: string): string => `oidc:${createHash('sha256').update(issuer).digest('hex').slice(0, 16)}:${sub}`

// The `typ` of an access token: RFC 9068, section 2.1, and RFC 7519, section 5.1. Its case is ignored, and the prefix
// `application/` is optional: RFC 7515, section 4.1.9.
const accessTokenType = /^(?:application\/)?(?:at\+jwt|jwt)$/i

/**
 * Returns whether a token with this `typ` may be an access token. Issuers sign other JWTs, such as logout tokens, with
 * the same keys. A missing `typ` passes, because it is optional in RFC 7519 and absent from the tokens that Okta and
 * Amazon Cognito issue.
 */
const isAccessTokenType = (typ: unknown): boolean => typ === undefined || (typeof typ === 'string' && accessTokenType.test(typ))

/**
 * Returns whether an unverified token looks like an access token of the issuer. All other tokens are rejected without
 * fetching the issuer's keys.
 */
const namesIssuer = (token: string, issuer: string): boolean => {
  try {
    const { alg = '', typ } = decodeProtectedHeader(token)
    return algorithms.includes(alg) && isAccessTokenType(typ) && decodeJwt(token).iss === issuer
  } catch {
    return false
  }
}

/**
 * Verifies a token and returns its claims. If jose rejects the key, such as an RSA key of 1,024 bits, the token is invalid.
 * @throws JOSEError if the token is invalid, and the errors of `getKey`.
 */
const verify = async (token: string, getKey: JWTVerifyGetKey, options: JWTVerifyOptions): Promise<JWTPayload> => {
  try {
    return (await jwtVerify(token, getKey, options)).payload
  } catch (cause) {
    // jose throws a `TypeError` for a key that it rejects.
    throw cause instanceof TypeError ? new errors.JWSSignatureVerificationFailed(undefined, { cause }) : cause
  }
}

/**
 * Creates the access token verifier. It checks `typ`, signature, `iss`, `aud`, `exp`, `nbf` and `sub`. The principal
 * gets the scopes in the `scope` claim (RFC 8693, section 4.2), except scopes that Flowpost does not have.
 * @throws ApiError `unavailable` when the issuer's keys cannot be fetched.
 */
export const createOidcVerifier = (deps: { issuer: string; audience: string; keys: Issuer; clock: Clock }): VerifyToken => {
  const { issuer, audience, keys, clock } = deps

  const claimsOf = async (token: string): Promise<JWTPayload> => {
    const options: JWTVerifyOptions = {
      issuer,
      audience,
      algorithms,
      clockTolerance: clockToleranceSeconds,
      currentDate: clock.now(),
      requiredClaims: ['exp', 'sub'],
    }
    try {
      return await verify(token, keys.getKey, options)
    } catch (error) {
      if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error
      // Several of the issuer's keys match the token's header, usually because the header has no `kid`. Tries each of these keys,
      // which jose's error provides.
      for await (const key of error) {
        const payload = await verify(token, () => key, options).catch((cause: unknown) => {
          if (!(cause instanceof errors.JWSSignatureVerificationFailed)) throw cause
        })
        if (payload) return payload
      }
      throw new errors.JWSSignatureVerificationFailed()
    }
  }

  return async (token) => {
    if (!namesIssuer(token, issuer)) return undefined
    try {
      return principalOf(issuer, await claimsOf(token))
    } catch (error) {
      if (error instanceof IssuerUnavailableError)
        throw unavailable("The credential cannot be verified, because the OIDC issuer's keys cannot be fetched.", {
          retryAfterSeconds: 5,
          cause: error,
        })
      if (error instanceof errors.JOSEError) return undefined
      throw error
    }
  }
}

const principalOf = (issuer: string, { sub, scope: scopeText, exp }: JWTPayload): Principal | undefined => {
  if (typeof sub !== 'string' || !subject.test(sub) || exp === undefined) return undefined
  const granted = typeof scopeText === 'string' ? scopeText.split(' ') : []
  const userId = oidcUserId(issuer, sub)
  return {
    userId,
    scopes: scopes.filter((scope) => granted.includes(scope)),
    mode: 'live',
    // Keys created with the token must not outlive it.
    expiresAt: new Date(Math.min(exp * 1000, lastInstantMs)),
    credentialId: userId,
    rateLimitKey: userId,
  }
}
