import type { RequestHandler, Response } from 'express'
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible'
import { ApiError } from '../shared/api-error.ts'
import { type Charge, contextOf, principalOf } from './request-context.ts'

/** A maximum number of requests per period. */
export interface RateLimit {
  readonly requests: number
  readonly seconds: number
}

const secondsLeft = (state: RateLimiterRes): number => Math.max(1, Math.ceil(state.msBeforeNext / 1000))

/**
 * Returns the header fields that describe a quota. Source: draft-ietf-httpapi-ratelimit-headers, sections
 * "RateLimit-Policy" (`q` quota, `w` window in seconds) and "RateLimit" (`r` remaining, `t` seconds until the reset).
 */
const rateLimitHeaders = (policy: string, limit: RateLimit, state: RateLimiterRes): Record<string, string> => ({
  'RateLimit-Policy': `"${policy}";q=${limit.requests};w=${limit.seconds}`,
  RateLimit: `"${policy}";r=${state.remainingPoints};t=${secondsLeft(state)}`,
})

/** Creates the error for a request above a limit. */
export const rateLimited = (detail: string, policy: string, limit: RateLimit, state: RateLimiterRes): ApiError =>
  new ApiError('rate_limited', `${detail} Try again in ${secondsLeft(state)} s.`, {
    headers: { ...rateLimitHeaders(policy, limit, state), 'Retry-After': String(secondsLeft(state)) },
  })

const policy = 'credential'

/** The number of rendered bytes that count as one additional request. */
const bytesPerRequest = 16 * 1024

/**
 * Counts every 16 KiB of rendered messages as one additional request of the credential. Never rejects the request that
 * caused the rendering, because the size is known only after rendering. Instead, the rate limit may reject a later
 * request, or a later item of the same batch.
 */
export const chargeRendering = (response: Response, bytes: number): void => {
  const { charge, principal } = contextOf(response)
  const points = Math.floor(bytes / bytesPerRequest)
  if (charge && principal && points > 0) charge(response, principal.rateLimitKey, points)
}

/**
 * Counts an item of a batch as an additional request.
 * @throws ApiError `rate_limited` if the limit is exceeded.
 */
export const chargeItem = async (response: Response): Promise<void> => {
  const { charge, principal } = contextOf(response)
  if (charge && principal) await charge.item(response, principal.rateLimitKey)
}

/**
 * Rejects requests above their credential's limit. An API key shares the limit of the credential that created it. A
 * period starts with the first request after the previous period. Rendering counts as additional requests; see
 * {@link chargeRendering}. Each process counts separately, so the effective limit grows with the number of processes.
 */
export const limitRate = (limit: RateLimit): RequestHandler => {
  const limiter = new RateLimiterMemory({ points: limit.requests, duration: limit.seconds })
  const consume = async (response: Response, key: string): Promise<void> => {
    const state = await limiter.consume(key).catch((over: RateLimiterRes) => over)
    if (state.consumedPoints > limit.requests)
      throw rateLimited(`A credential may make ${limit.requests} requests in ${limit.seconds} s.`, policy, limit, state)
    response.set(rateLimitHeaders(policy, limit, state))
  }
  const penalize = (response: Response, key: string, points: number): void => {
    limiter.penalty(key, points).then(
      (state) => response.headersSent || response.set(rateLimitHeaders(policy, limit, state)),
      () => {},
    )
  }
  const charge: Charge = Object.assign(penalize, { item: consume })
  return async (_request, response, next) => {
    contextOf(response).charge = charge
    await consume(response, principalOf(response).rateLimitKey)
    next()
  }
}
