import { type Problem, problems } from '@flowpost/contract'
import type { ApiError } from '../shared/api-error.ts'

/** Returns the problem body of an error. */
export const problemOf = (error: ApiError, requestId: string): Problem => ({
  type: `urn:flowpost:problem:${error.code}`,
  title: problems[error.code].title,
  status: error.status,
  detail: error.message,
  code: error.code,
  request_id: requestId,
  ...(error.errors ? { errors: [...error.errors] } : {}),
})
