import { hash } from 'node:crypto'
import type { Request } from 'express'
import type { Logger } from 'pino'
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible'
import { clientAddress } from '../http/client-address.ts'
import { type RateLimit, rateLimited } from '../http/rate-limit.ts'
import { createBoundedSet } from './bounded-set.ts'

/**
 * Limits failed authentications per client address. Above the limit, a credential that was recently valid still passes,
 * a credential that was recently invalid is rejected without verification, and all other credentials are verified at a
 * limited rate. A stranger who shares the address thus cannot lock out a valid credential.
 */
export interface FailedAuthentication {
  /**
   * Checks whether a credential may be verified now.
   * @throws ApiError `rate_limited`.
   */
  admit(address: string, token: string): Promise<void>
  /**
   * Counts an invalid credential.
   * @throws ApiError `rate_limited` when the address is above the limit.
   */
  failed(address: string, token: string): Promise<void>
  /** Records a valid credential. */
  succeeded(token: string): void
}

/** The limit on invalid credentials per address. */
export const failureLimit: RateLimit = { requests: 60, seconds: 60 }

/**
 * The limit, for each address, on verifications of credentials that this process has not received recently. It applies only
 * while the address has used up {@link failureLimit}.
 */
const firstTryBudget: RateLimit = { requests: 1, seconds: 1 }

/**
 * The limit, for each address, on verifications of repeated credentials. A repeated credential is one that this process recently
 * rejected without verifying it, because {@link firstTryBudget} or this limit was used up. This limit applies only while the
 * address has used up {@link failureLimit}. Above this limit, a repeated credential is still verified with a certain
 * probability; see `takeVerification`.
 */
const retryBudget: RateLimit = { requests: 20, seconds: 1 }

const maxRemembered = 10_000

const createLimiter = ({ requests, seconds }: RateLimit) => new RateLimiterMemory({ points: requests, duration: seconds })

/**
 * Creates a {@link FailedAuthentication}. Each process counts failures separately.
 * @param deps.random returns a uniform number in [0, 1). @default Math.random
 */
export const createFailedAuthentication = (deps: { log: Logger; random?: () => number }): FailedAuthentication => {
  const { random = Math.random } = deps
  const failures = createLimiter(failureLimit)
  const firstTries = createLimiter(firstTryBudget)
  const retries = createLimiter(retryBudget)
  // These sets contain hashes, never the credentials themselves.
  const valid = createBoundedSet({ size: maxRemembered })
  // Entries expire, because an invalid token can become valid: when its `nbf` (not before) time is reached, or once the
  // issuer publishes the key that signed it.
  const invalid = createBoundedSet({ size: maxRemembered, ttlMs: failureLimit.seconds * 1_000 })
  // Credentials that were rejected without verification, because a limit on verifications was used up.
  const deferred = createBoundedSet({ size: maxRemembered, ttlMs: failureLimit.seconds * 1_000 })
  const hashOf = (token: string) => hash('sha256', token, 'base64')

  const tooMany = (state: RateLimiterRes) =>
    rateLimited('Too many invalid credentials from this address.', 'failed-authentication', failureLimit, state)

  /**
   * Counts the verification of a credential against a limit of the address: {@link retryBudget} if the credential is already
   * in `deferred`, and {@link firstTryBudget} if it is not. Above the limit, rejects the request and adds the credential to
   * `deferred`. Above `retryBudget`, the verification is still permitted with a certain probability.
   * @throws ApiError `rate_limited`.
   */
  const takeVerification = async (address: string, hashed: string): Promise<void> => {
    const isRepeated = deferred.has(hashed)
    const [limiter, budget] = isRepeated ? [retries, retryBudget] : [firstTries, firstTryBudget]
    const state = await limiter.consume(address).catch((over: RateLimiterRes) => over)
    const { consumedPoints } = state
    // Above `retryBudget`, the n-th repeated credential in a second is still verified with a probability of 20/n. Otherwise, an
    // attacker who repeats guesses could use up the limit each second before the valid credential arrives.
    if (consumedPoints <= budget.requests || (isRepeated && random() * consumedPoints < budget.requests)) return
    deferred.add(hashed)
    throw rateLimited(
      'Too many invalid credentials from this address, so verification is rate-limited. This credential was not verified.',
      'verification',
      budget,
      state,
    )
  }

  return {
    admit: async (address, token) => {
      const state = await failures.get(address)
      if (state === null || state.msBeforeNext <= 0 || state.consumedPoints < failureLimit.requests) return
      const hashed = hashOf(token)
      if (valid.has(hashed)) return
      if (invalid.has(hashed)) throw tooMany(state)
      await takeVerification(address, hashed)
    },
    failed: async (address, token) => {
      const hashed = hashOf(token)
      valid.delete(hashed)
      invalid.add(hashed)
      const state = await failures.penalty(address)
      if (state.consumedPoints > failureLimit.requests) throw tooMany(state)
      if (state.consumedPoints === failureLimit.requests)
        deps.log.warn(
          { address },
          'Too many invalid credentials from this address. For up to a minute, requests from the address are rate-limited, except those whose credential was accepted recently. If the address belongs to a proxy, set FLOWPOST_TRUST_PROXY.',
        )
    },
    succeeded: (token) => {
      const hashed = hashOf(token)
      invalid.delete(hashed)
      valid.add(hashed)
    },
  }
}

/**
 * Wraps an authorization function, such as the outbox's, so that its failures count as failed authentications. Counts the
 * whole `Authorization` header as the credential that failed. A request without this header does not count.
 */
export const countFailures =
  <Result extends string | object>(
    failures: FailedAuthentication,
    authorize: (request: Request) => Promise<Result | 'unauthorized'>,
  ): ((request: Request) => Promise<Result | 'unauthorized'>) =>
  async (request) => {
    const credential = request.get('authorization')
    if (credential === undefined) return authorize(request)
    const address = clientAddress(request.ip)
    await failures.admit(address, credential)
    const result = await authorize(request)
    if (result === 'unauthorized') await failures.failed(address, credential)
    else if (typeof result === 'object') failures.succeeded(credential)
    return result
  }
