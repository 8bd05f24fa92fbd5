import { ApiError } from './api-error.ts'

/**
 * Calls `wait`, and counts the call against the limit on waiting requests.
 * @param rateLimitKey the `rateLimitKey` of the request's `Principal`. API keys created with a credential share its
 * `rateLimitKey`.
 * @throws ApiError `rate_limited` if too many requests with this `rateLimitKey` are waiting.
 */
export type WaitLimit = <T>(rateLimitKey: string, wait: () => Promise<T>) => Promise<T>

// `waitLimit` in the contract repeats this limit.
const maxWaits = 100
const retryAfterSeconds = 2

const tooManyWaits = (): ApiError =>
  new ApiError(
    'rate_limited',
    `A credential and the keys created with it share a limit of ${maxWaits} open requests with \`wait\`. Try again in ${retryAfterSeconds} s.`,
    {
      headers: { 'Retry-After': String(retryAfterSeconds) },
    },
  )

/** Creates the limit on waiting requests for one process. */
export const createWaitLimit = (): WaitLimit => {
  const waitsByKey = new Map<string, number>()
  return async (rateLimitKey, wait) => {
    const waits = waitsByKey.get(rateLimitKey) ?? 0
    if (waits >= maxWaits) throw tooManyWaits()
    waitsByKey.set(rateLimitKey, waits + 1)
    try {
      return await wait()
    } finally {
      const remaining = (waitsByKey.get(rateLimitKey) ?? 1) - 1
      if (remaining === 0) waitsByKey.delete(rateLimitKey)
      else waitsByKey.set(rateLimitKey, remaining)
    }
  }
}
