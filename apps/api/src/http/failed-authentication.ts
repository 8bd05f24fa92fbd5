import { hash } from 'node:crypto'
import type { Logger } from 'pino'
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible'
import { type RateLimit, rateLimited } from './rate-limit.ts'

/**
 * Bounds how many credentials can be tried from one address, and what trying them costs: once an address
 * is over the limit, further ones are refused unseen. Credentials that were good lately are let through,
 * so that one stranger behind a proxy or a shared address cannot lock the others out.
 */
export interface FailedAuthentication {
  /** @throws ApiError `rate_limited` for a credential that is not known as good, from an address over the limit. */
  admit(address: string, token: string): Promise<void>
  /**
   * Counts a credential that was refused.
   * @throws ApiError `rate_limited` when several at once have gone over the limit.
   */
  failed(address: string, token: string): Promise<void>
  /** Remembers a credential that was good. */
  succeeded(token: string): void
}

/** How many failures one address may have in a minute. */
export const failureLimit: RateLimit = { requests: 60, seconds: 60 }

const policy = 'failed-authentication'
const mostRemembered = 10_000

/** Counts failures in this process. */
export const createFailedAuthentication = (deps: { log: Logger }): FailedAuthentication => {
  const limiter = new RateLimiterMemory({ points: failureLimit.requests, duration: failureLimit.seconds })
  // Hashes, never the tokens, in the order of their last use.
  const good = new Set<string>()
  const hashOf = (token: string) => hash('sha256', token, 'base64')

  const tooMany = (state: RateLimiterRes) =>
    rateLimited('Too many credentials from this address were not valid.', policy, failureLimit, state)

  return {
    admit: async (address, token) => {
      const state = await limiter.get(address)
      if (state === null || state.msBeforeNext <= 0 || state.consumedPoints < failureLimit.requests || good.has(hashOf(token))) return
      throw tooMany(state)
    },
    failed: async (address, token) => {
      good.delete(hashOf(token))
      const state = await limiter.penalty(address)
      if (state.consumedPoints > failureLimit.requests) throw tooMany(state)
      if (state.consumedPoints === failureLimit.requests)
        deps.log.warn(
          { address },
          'Too many credentials from this address were not valid; unknown ones are refused for a minute. If it is the address of a proxy, set FLOWPOST_TRUST_PROXY.',
        )
    },
    succeeded: (token) => {
      const hashed = hashOf(token)
      good.delete(hashed)
      good.add(hashed)
      const [oldest] = good
      if (good.size > mostRemembered && oldest !== undefined) good.delete(oldest)
    },
  }
}
