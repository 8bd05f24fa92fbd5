import { type ApiError, unavailable } from '@flowpost/contract/rules'

export { ApiError, notFound, rejected, toBodyErrors, unavailable, validationFailed } from '@flowpost/contract/rules'

const configurationRetrySeconds = 60

/** Returns the error for a request that the server cannot process until its operator has corrected the configuration. */
export const misconfigured = (detail: string, options: { readonly cause?: unknown } = {}): ApiError =>
  unavailable(detail, { retryAfterSeconds: configurationRetrySeconds, ...options })
