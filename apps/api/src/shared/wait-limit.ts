import { ApiError } from './api-error.ts'

/**
 * Calls `wait`, and counts the call against the credential's limit on waiting requests.
 * @throws ApiError `rate_limited` if the credential has too many waiting requests.
 */
export type WaitLimit = <T>(credentialKey: string, wait: () => Promise<T>) => Promise<T>

// The descriptions of `wait` in the contract state this limit.
const maxWaits = 100
const retryAfterSeconds = 2

const tooManyWaits = (): ApiError =>
  new ApiError(
    'rate_limited',
    `A credential may have ${maxWaits} requests with \`wait\` open at once. Try again in ${retryAfterSeconds} s.`,
    {
      headers: { 'Retry-After': String(retryAfterSeconds) },
    },
  )

/** Creates the limit on waiting requests for one process. */
export const createWaitLimit = (): WaitLimit => {
  const waitsByCredential = new Map<string, number>()
  return async (credentialKey, wait) => {
    const waits = waitsByCredential.get(credentialKey) ?? 0
    if (waits >= maxWaits) throw tooManyWaits()
    waitsByCredential.set(credentialKey, waits + 1)
    try {
      return await wait()
    } finally {
      const remaining = (waitsByCredential.get(credentialKey) ?? 1) - 1
      if (remaining === 0) waitsByCredential.delete(credentialKey)
      else waitsByCredential.set(credentialKey, remaining)
    }
  }
}
