import { expect, it } from 'vitest'
import type { FieldError } from '../problem.ts'
import { unavailable, validationFailed } from './api-error.ts'

it('validationFailed lists and counts at most 1,000 errors', () => {
  const error: FieldError = { in: 'body', pointer: '/a', code: 'unknown_field', message: 'This resource has no such field.' }
  const { message, errors } = validationFailed(Array.from({ length: 100_000 }, () => error))
  expect(message).toBe('The request has more than 1,000 validation errors.')
  expect(validationFailed(Array.from({ length: 1_000 }, () => error)).message).toBe('The request has 1000 validation errors.')
  expect(validationFailed([error]).message).toBe('The request has 1 validation error.')
  expect(errors).toHaveLength(1_000)
})

it('unavailable has a Retry-After header', () => {
  const cause = new Error('Connection lost.')
  const error = unavailable('Try again.', { retryAfterSeconds: 5, cause })
  expect(error).toMatchObject({ status: 503, code: 'unavailable', message: 'Try again.', headers: { 'Retry-After': '5' }, cause })
})
