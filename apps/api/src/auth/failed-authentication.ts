import { hash } from 'node:crypto'
import type { Request } from 'express'
import type { Logger } from 'pino'
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible'
import { clientAddress } from '../http/client-address.ts'
import { type RateLimit, rateLimited } from '../http/rate-limit.ts'
import { createRecentHashes } from './recent-hashes.ts'

/**
 * Bounds how many credentials can be tried from one address, and what trying them costs. Once an address is over the
 * limit, a credential that was good lately is let through, one that was bad lately is rejected without verifying it, and
 * any other is verified at a low rate, so that a stranger at a shared address cannot lock out a valid credential.
 */
export interface FailedAuthentication {
  /** @throws ApiError `rate_limited` for a credential that must not be verified now. */
  admit(address: string, token: string): Promise<void>
  /**
   * Counts a credential that was not valid.
   * @throws ApiError `rate_limited` when the address is over the limit.
   */
  failed(address: string, token: string): Promise<void>
  /** Remembers a credential that was good. */
  succeeded(token: string): void
}

/** How many failures one address may have in a minute. */
export const failureLimit: RateLimit = { requests: 60, seconds: 60 }

/** How many unknown credentials are verified for an address over the limit. */
const firstTryBudget: RateLimit = { requests: 1, seconds: 1 }

/**
 * The same for credentials that were put off before. Clients repeat the credential that they have, and who guesses tries
 * others, so the valid one is not lost among the guesses. When guesses are repeated too, chance decides: in each second, the
 * n-th is verified with a probability of 20/n. So a flood, which always has the first, cannot keep a valid one out, and of
 * 1,000 in a second about 100 are verified.
 */
const retryBudget: RateLimit = { requests: 20, seconds: 1 }

const maxRemembered = 10_000

const createLimiter = ({ requests, seconds }: RateLimit) => new RateLimiterMemory({ points: requests, duration: seconds })

/**
 * Counts failures in this process.
 * @param deps.random Uniform in [0, 1). Default: `Math.random`.
 */
export const createFailedAuthentication = (deps: { log: Logger; random?: () => number }): FailedAuthentication => {
  const { random = Math.random } = deps
  const failures = createLimiter(failureLimit)
  const firstTries = createLimiter(firstTryBudget)
  const retries = createLimiter(retryBudget)
  // Hashes, never the credentials themselves.
  const good = createRecentHashes({ size: maxRemembered })
  // Not for longer, because a credential can become valid: a token whose time begins, a key of an issuer that is new.
  const bad = createRecentHashes({ size: maxRemembered, keptMs: failureLimit.seconds * 1_000 })
  const putOff = createRecentHashes({ size: maxRemembered, keptMs: failureLimit.seconds * 1_000 })
  const hashOf = (token: string) => hash('sha256', token, 'base64')

  const tooMany = (state: RateLimiterRes) =>
    rateLimited('Too many credentials from this address were not valid.', 'failed-authentication', failureLimit, state)

  /** Takes one verification from the budget of the address, or puts the credential off. */
  const takeVerification = async (address: string, hashed: string): Promise<void> => {
    const isRepeated = putOff.has(hashed)
    const [limiter, budget] = isRepeated ? [retries, retryBudget] : [firstTries, firstTryBudget]
    const state = await limiter.consume(address).catch((over: RateLimiterRes) => over)
    const { consumedPoints } = state
    if (consumedPoints <= budget.requests || (isRepeated && random() * consumedPoints < budget.requests)) return
    putOff.add(hashed)
    throw rateLimited(
      'Too many credentials from this address were not valid, so unknown ones are verified slowly.',
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
      if (good.has(hashed)) return
      if (bad.has(hashed)) throw tooMany(state)
      await takeVerification(address, hashed)
    },
    failed: async (address, token) => {
      const hashed = hashOf(token)
      good.delete(hashed)
      bad.add(hashed)
      const state = await failures.penalty(address)
      if (state.consumedPoints > failureLimit.requests) throw tooMany(state)
      if (state.consumedPoints === failureLimit.requests)
        deps.log.warn(
          { address },
          'Too many credentials from this address were not valid; for a minute, unknown ones are verified slowly. If it is the address of a proxy, set FLOWPOST_TRUST_PROXY.',
        )
    },
    succeeded: (token) => {
      const hashed = hashOf(token)
      bad.delete(hashed)
      good.add(hashed)
    },
  }
}

/** Applies the same limit to another authorization, such as that of the outbox. The credential is the whole `Authorization` field. */
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
