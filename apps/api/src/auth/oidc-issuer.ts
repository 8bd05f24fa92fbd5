import { createRemoteJWKSet, customFetch, errors, type FetchImplementation, type JWTVerifyGetKey } from 'jose'
import { z } from 'zod'
import type { Clock } from '../shared/clock.ts'
import { isSecureUrl } from '../shared/secure-url.ts'

/** Thrown when the issuer's keys cannot be fetched. This error does not mean that the token is invalid. */
export class IssuerUnavailableError extends Error {
  constructor(cause: unknown) {
    super('The OIDC issuer is unreachable or returned an invalid response.', { cause })
    this.name = 'IssuerUnavailableError'
  }
}

/**
 * The signing keys of an OIDC issuer. The keys are fetched on demand, and again after the issuer has rotated them.
 * Their URL comes from the issuer's discovery document.
 */
export interface Issuer {
  /**
   * Returns the key that a token's header identifies.
   * @throws IssuerUnavailableError, or a `jose` error when the header matches no key, several keys or an unsupported key.
   */
  readonly getKey: JWTVerifyGetKey
}

const timeoutMs = 5_000
// After a failure, requests to the issuer fail immediately for this long. Otherwise, each would wait for its own timeout.
const pauseMs = 5_000
// After a fetch of the keys, an unknown key id does not trigger another fetch for this long.
const cooldownMs = 30_000
const keysTtlMs = 600_000
const discoveryTtlMs = 3_600_000

// The path of the discovery document: OpenID Connect Discovery 1.0, section 4.2.
const discoveryPath = '/.well-known/openid-configuration'
const Discovery = z.object({ issuer: z.string(), jwks_uri: z.string().refine(isSecureUrl) })

const isAboutTheToken = (error: unknown): boolean =>
  error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys || error instanceof errors.JOSENotSupported

/** Creates an {@link Issuer}. This sends no request yet, so a server can start while the issuer is unreachable. */
export const createIssuer = (deps: { issuer: string; clock: Clock; fetch: typeof fetch }): Issuer => {
  const { issuer, clock } = deps
  let failedAt = Number.NEGATIVE_INFINITY
  let keys: { readonly find: ReturnType<typeof createRemoteJWKSet>; readonly uri: string; readonly expiresAtMs: number } | undefined
  let discovering: Promise<void> | undefined

  const isPausing = () => clock.now().getTime() < failedAt + pauseMs

  const pausingFetch: FetchImplementation = async (url, options) => {
    if (isPausing()) throw new Error('A recent request to the issuer failed, so no further request is sent yet.')
    const response = await deps.fetch(url, options)
    if (response.status !== 200) throw new Error(`The issuer returned ${response.status} for ${url}.`)
    return response
  }

  const discover = async (): Promise<void> => {
    const response = await pausingFetch(issuer.replace(/\/$/, '') + discoveryPath, {
      method: 'GET',
      headers: new Headers({ accept: 'application/json' }),
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    })
    const document = Discovery.parse(await response.json())
    // Without this check, one issuer could impersonate another: OpenID Connect Discovery 1.0, section 4.3.
    if (document.issuer !== issuer) throw new Error(`The discovery document names another issuer: ${document.issuer}.`)
    const uri = document.jwks_uri
    const find =
      keys?.uri === uri
        ? keys.find
        : createRemoteJWKSet(new URL(uri), {
            timeoutDuration: timeoutMs,
            cooldownDuration: cooldownMs,
            cacheMaxAge: keysTtlMs,
            [customFetch]: pausingFetch,
          })
    keys = { find, uri, expiresAtMs: clock.now().getTime() + discoveryTtlMs }
  }

  const current = async () => {
    if (!keys || clock.now().getTime() >= keys.expiresAtMs) {
      discovering ??= discover().finally(() => {
        discovering = undefined
      })
      await discovering.catch((error: unknown) => {
        if (!keys) throw error
        // If the fetch fails, the expired discovery document stays in use for another `pauseMs`. Otherwise, every request
        // would fetch the document again and wait for the failure.
        keys = { ...keys, expiresAtMs: clock.now().getTime() + pauseMs }
      })
    }
    if (!keys) throw new Error('The discovery document of the issuer is missing.')
    return keys.find
  }

  return {
    getKey: async (header, token) => {
      try {
        return await (await current())(header, token)
      } catch (error) {
        if (isAboutTheToken(error)) throw error
        if (!isPausing()) failedAt = clock.now().getTime()
        throw new IssuerUnavailableError(error)
      }
    },
  }
}
