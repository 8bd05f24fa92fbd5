import { expect, it } from 'vitest'
import type { FieldError } from '../problem.ts'
import { validationFailed } from './api-error.ts'

it('an answer does not grow with the faults of a hostile body', () => {
  const fault: FieldError = { in: 'body', pointer: '/a', code: 'unknown_field', message: 'Is not a field of this resource.' }
  const error = validationFailed(Array.from({ length: 100_000 }, () => fault))
  expect(error.message).toBe('The request has 100000 faults.')
  expect(error.errors).toHaveLength(1_000)
})
