import { createHash } from 'node:crypto'
import { scopes } from '@flowpost/contract'
import { decodeJwt, decodeProtectedHeader, errors, type JWTPayload, type JWTVerifyOptions, jwtVerify } from 'jose'
import { ApiError } from '../shared/api-error.ts'
import type { Clock } from '../shared/clock.ts'
import type { VerifyToken } from './authenticate.ts'
import { type Issuer, IssuerUnavailableError } from './oidc-issuer.ts'
import type { Principal } from './principal.ts'

// Asymmetric ones only: with a symmetric one, the public key of the issuer would do to sign a token.
// RFC 8725, sections 3.1 and 3.2.
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']
const clockToleranceSeconds = 30
// The last one that RFC 3339 can write.
const lastInstantMs = Date.parse('9999-12-31T23:59:59.999Z')
// OpenID Connect Core 1.0, section 2: at most 255 ASCII characters.
const subject = /^[\x20-\x7e]{1,255}$/

/** The user behind a subject of an issuer; no API key can be made for such a user by name. */
const oidcUserId = (issuer: string, sub: string): string => `oidc:${createHash('sha256').update(issuer).digest('hex').slice(0, 16)}:${sub}`

// RFC 9068, section 2.1, and RFC 7519, section 5.1; compared as RFC 7515, section 4.1.9 says.
const accessTokenType = /^(?:application\/)?(?:at\+jwt|jwt)$/i

/**
 * Whether the `typ` of a token may be that of an access token. Issuers sign other JWTs with the same keys, such as logout
 * tokens. A token without one passes, because RFC 7519 makes it optional and Okta and Amazon Cognito leave it out.
 */
const isAccessTokenType = (typ: unknown): boolean => typ === undefined || (typeof typ === 'string' && accessTokenType.test(typ))

/** Whether a token is worth asking the issuer about: it is one of ours by what it says of itself. */
const claimsToBeOurs = (token: string, issuer: string): boolean => {
  try {
    const { alg = '', typ } = decodeProtectedHeader(token)
    return algorithms.includes(alg) && isAccessTokenType(typ) && decodeJwt(token).iss === issuer
  } catch {
    return false
  }
}

/**
 * Verifies the access tokens of an OIDC issuer: `typ`, signature, `iss`, `aud`, `exp`, `nbf` and `sub`. The
 * scopes are those of `scope` (RFC 8693, section 4.2) that the interface knows.
 * @throws ApiError `unavailable` when the issuer cannot be asked for its keys.
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
      return (await jwtVerify(token, keys.getKey, options)).payload
    } catch (error) {
      if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error
      // A token without `kid`: any of the keys that fit may be the one.
      for await (const key of error) {
        const payload = await jwtVerify(token, key, options).then(
          (result) => result.payload,
          (cause: unknown) => {
            if (!(cause instanceof errors.JWSSignatureVerificationFailed)) throw cause
          },
        )
        if (payload) return payload
      }
      throw new errors.JWSSignatureVerificationFailed()
    }
  }

  return async (token) => {
    if (!claimsToBeOurs(token, issuer)) return undefined
    try {
      return principalOf(issuer, await claimsOf(token))
    } catch (error) {
      if (error instanceof IssuerUnavailableError)
        throw new ApiError('unavailable', 'The credential cannot be checked now, because the OIDC issuer cannot be reached.', {
          headers: { 'Retry-After': '5' },
          cause: error,
        })
      if (error instanceof errors.JOSEError) return undefined
      throw error
    }
  }
}

const principalOf = (issuer: string, { sub, scope, exp }: JWTPayload): Principal | undefined => {
  if (typeof sub !== 'string' || !subject.test(sub) || exp === undefined) return undefined
  const granted = typeof scope === 'string' ? scope.split(' ') : []
  const userId = oidcUserId(issuer, sub)
  return {
    userId,
    scopes: scopes.filter((each) => granted.includes(each)),
    // What is made with the token must not outlive it.
    expiresAt: new Date(Math.min(exp * 1000, lastInstantMs)),
    credentialId: userId,
    countedAs: userId,
  }
}
