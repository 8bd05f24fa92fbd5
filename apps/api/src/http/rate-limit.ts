import type { RequestHandler } from 'express'
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible'
import { ApiError } from '../shared/api-error.ts'
import { principalOf } from '../shared/request-context.ts'

/** How many requests in how much time. */
export interface RateLimit {
  readonly requests: number
  readonly seconds: number
}

const secondsLeft = (state: RateLimiterRes): number => Math.max(1, Math.ceil(state.msBeforeNext / 1000))

/**
 * The header fields of a quota.
 * Source: draft-ietf-httpapi-ratelimit-headers, sections "RateLimit-Policy" (`q` quota, `w` window in
 * seconds) and "RateLimit" (`r` what is left, `t` seconds until it is whole again).
 */
const rateLimitHeaders = (policy: string, limit: RateLimit, state: RateLimiterRes): Record<string, string> => ({
  'RateLimit-Policy': `"${policy}";q=${limit.requests};w=${limit.seconds}`,
  RateLimit: `"${policy}";r=${state.remainingPoints};t=${secondsLeft(state)}`,
})

/** The answer to a request over a limit. */
export const rateLimited = (detail: string, policy: string, limit: RateLimit, state: RateLimiterRes): ApiError =>
  new ApiError('rate_limited', `${detail} Try again in ${secondsLeft(state)} s.`, {
    headers: { ...rateLimitHeaders(policy, limit, state), 'Retry-After': String(secondsLeft(state)) },
  })

const policy = 'credential'

/**
 * Counts the requests of each credential, together with those of the keys that were made with it, and refuses those over
 * the limit. A window begins with the first
 * request in it. Counted in this process: several processes allow so many times as much.
 */
export const limitRate = (limit: RateLimit): RequestHandler => {
  const limiter = new RateLimiterMemory({ points: limit.requests, duration: limit.seconds })
  return async (_request, response, next) => {
    const { countedAs } = principalOf(response)
    const state = await limiter.consume(countedAs).catch((over: RateLimiterRes) => over)
    if (state.consumedPoints > limit.requests)
      throw rateLimited(`A credential may make ${limit.requests} requests in ${limit.seconds} s.`, policy, limit, state)
    response.set(rateLimitHeaders(policy, limit, state))
    next()
  }
}
