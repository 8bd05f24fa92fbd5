import type { FieldError } from '../problem.ts'
import { type ApiError, validationFailed } from './api-error.ts'

const invalidMoment = (code: FieldError['code'], message: string): ApiError =>
  validationFailed([{ in: 'query', pointer: '/at', code, message }])

/** Creates the error for a moment in the future. */
export const momentInFuture = (): ApiError => invalidMoment('too_big', 'Must not be in the future.')

/** Creates the error for a moment before `start`, the RFC 3339 timestamp at which the settings history starts. */
export const momentBeforeHistory = (start: string): ApiError =>
  invalidMoment('too_small', `Must not be before ${start}, when the recorded settings history starts.`)
