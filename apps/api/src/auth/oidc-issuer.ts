import { createRemoteJWKSet, customFetch, errors, type FetchImplementation, type JWTVerifyGetKey } from 'jose'
import { z } from 'zod'
import type { Clock } from '../shared/clock.ts'
import { isSecureUrl } from '../shared/secure-url.ts'

/** Thrown when the issuer cannot be asked for its keys: it says nothing about the token. */
export class IssuerUnavailableError extends Error {
  constructor(cause: unknown) {
    super('The OIDC issuer cannot be reached, or does not answer as one.', { cause })
    this.name = 'IssuerUnavailableError'
  }
}

/** The keys of an issuer: found by discovery, fetched when they are first needed, and again when they are rotated. */
export interface Issuer {
  /**
   * The key that a token says it is signed with.
   * @throws IssuerUnavailableError, or an error of jose's when the issuer has no such key.
   */
  readonly getKey: JWTVerifyGetKey
}

const timeoutMs = 5_000
// After a failure the issuer is left alone for so long, so that each request does not wait for the next one.
const pauseMs = 5_000
// A key id that is not known makes the keys be fetched again, at most so often.
const cooldownMs = 30_000
const keysKeptMs = 600_000
const discoveryKeptMs = 3_600_000

// OpenID Connect Discovery 1.0, section 4.2.
const discoveryPath = '/.well-known/openid-configuration'
const Discovery = z.object({ issuer: z.string(), jwks_uri: z.string().refine(isSecureUrl) })

const isAboutTheToken = (error: unknown): boolean =>
  error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys || error instanceof errors.JOSENotSupported

/** Makes an {@link Issuer} that has asked for nothing yet, so that a server starts without its issuer. */
export const createIssuer = (deps: { issuer: string; clock: Clock; fetch: typeof fetch }): Issuer => {
  const { issuer, clock } = deps
  let failedAt = Number.NEGATIVE_INFINITY
  let keys: { readonly find: ReturnType<typeof createRemoteJWKSet>; readonly uri: string; readonly until: number } | undefined
  let discovering: Promise<void> | undefined

  const isPausing = () => clock.now().getTime() < failedAt + pauseMs

  const pausingFetch: FetchImplementation = async (url, options) => {
    if (isPausing()) throw new Error('The issuer failed a moment ago.')
    const response = await deps.fetch(url, options)
    if (response.status !== 200) throw new Error(`The issuer answered ${response.status} for ${url}.`)
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
    // Section 4.3: else one issuer could speak for another.
    if (document.issuer !== issuer) throw new Error(`The discovery document is of another issuer: ${document.issuer}.`)
    const uri = document.jwks_uri
    const find =
      keys?.uri === uri
        ? keys.find
        : createRemoteJWKSet(new URL(uri), {
            timeoutDuration: timeoutMs,
            cooldownDuration: cooldownMs,
            cacheMaxAge: keysKeptMs,
            [customFetch]: pausingFetch,
          })
    keys = { find, uri, until: clock.now().getTime() + discoveryKeptMs }
  }

  const current = async () => {
    if (!keys || clock.now().getTime() >= keys.until) {
      discovering ??= discover().finally(() => {
        discovering = undefined
      })
      // Where the keys are is known well enough while it cannot be asked again.
      await discovering.catch((error: unknown) => {
        if (!keys) throw error
      })
    }
    if (!keys) throw new Error('Nothing is known of the issuer.')
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
