import type { RequestHandler, Response } from 'express'
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible'
import { ApiError } from '../shared/api-error.ts'
import { type Charge, contextOf, principalOf } from './request-context.ts'

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

/** Every so many rendered bytes of a request count as one more request. */
const bytesPerRequest = 16 * 1024

/**
 * Counts what a request has rendered against the limit of its credential. It is counted afterwards: how much a short
 * request renders is known only then, and the next one is refused instead.
 */
export const chargeRendering = (response: Response, bytes: number): void => {
  const { charge, principal } = contextOf(response)
  const points = Math.floor(bytes / bytesPerRequest)
  if (charge && principal && points > 0) charge(response, principal.countedAs, points)
}

/**
 * Counts the requests of each credential, together with those of the keys that were made with it, and refuses those over
 * the limit. A window begins with the first
 * request in it. A request that renders much counts as several: see {@link chargeRendering}. Counted in this process: several processes allow so many times as much.
 */
export const limitRate = (limit: RateLimit): RequestHandler => {
  const limiter = new RateLimiterMemory({ points: limit.requests, duration: limit.seconds })
  const charge: Charge = (response, key, points) => {
    limiter.penalty(key, points).then(
      (state) => response.headersSent || response.set(rateLimitHeaders(policy, limit, state)),
      () => {},
    )
  }
  return async (_request, response, next) => {
    contextOf(response).charge = charge
    const { countedAs } = principalOf(response)
    const state = await limiter.consume(countedAs).catch((over: RateLimiterRes) => over)
    if (state.consumedPoints > limit.requests)
      throw rateLimited(`A credential may make ${limit.requests} requests in ${limit.seconds} s.`, policy, limit, state)
    response.set(rateLimitHeaders(policy, limit, state))
    next()
  }
}
