import type { z } from 'zod'
import { NotificationBatchItem } from '../notification-batch.ts'
import type { NotificationSend } from '../notification-send.ts'
import { maxListedErrors } from '../primitives.ts'
import type { Problem } from '../problem.ts'
import { type ApiError, type BodyIssue, toBodyErrors, toProblem, validationFailed } from './api-error.ts'
import { addFieldErrors, findTextErrors, firstErrorPerField, toFieldErrors } from './field-errors.ts'
import { findAddressIssues } from './send-address.ts'

/** A valid item in a batch. */
export interface BatchItem {
  /** The body of a single send. */
  readonly body: z.output<typeof NotificationSend>
  readonly idempotencyKey: string | undefined
}

/**
 * Validates an item in a batch by the rules for the body of a single send.
 * `findSendIssues` is not called for a valid item. The caller must first look up the idempotency key of a returned item, and
 * then check its schedule and `target`. In the reverse order, a client that repeats a request after its `expires_at` would get
 * an error instead of the stored response.
 * @param findSendIssues Finds the issues with an item's schedule and `target`. Called only for an item that is invalid for
 * another reason, so that the thrown error also lists these issues.
 * @throws ApiError `validation_failed`. The error's pointers are relative to the item.
 */
export const parseBatchItem = (input: unknown, findSendIssues: (item: unknown) => readonly BodyIssue[]): BatchItem => {
  const texts = findTextErrors(input)
  const checked = toBodyErrors(findAddressIssues(input))
  const result = NotificationBatchItem.safeParse(input)
  if (result.success && texts.length + checked.length === 0) {
    const { idempotency_key: idempotencyKey, ...body } = result.data
    return { body, idempotencyKey }
  }
  const errors = result.success ? [] : toFieldErrors('body', result.error, input)
  const found = texts.length + checked.length > 0 ? firstErrorPerField([...texts, ...errors, ...checked]) : errors
  throw validationFailed(addFieldErrors(found, toBodyErrors(findSendIssues(input))))
}

/**
 * Creates a function that converts the error of a batch item to a problem. Call the function in item order. Once the
 * problems contain 1,000 validation errors in total, each further problem contains only its first error. Without this
 * limit, the response could be 50 times as large as the request.
 */
export const createItemProblems = (requestId: string): ((error: ApiError) => Problem) => {
  let capacity = maxListedErrors
  return (error) => {
    const { errors: all, ...problem } = toProblem(error, requestId)
    if (!all) return problem
    const errors = all.slice(0, Math.max(capacity, 1))
    capacity -= errors.length
    return { ...problem, errors }
  }
}

/**
 * Derives an idempotency key from the batch's key, for an item without a key. The result contains a space, so
 * it differs from every key that a client can send.
 */
export const batchItemKey = (batchKey: string, index: number): string => `${batchKey} ${index}`

/**
 * Returns whether the error of a batch item is temporary. After a temporary error, the item may already be stored, or a retry
 * may store it. Therefore, later items with the same idempotency key are not tried and get the same error.
 */
export const isTemporary = ({ status, code }: ApiError): boolean =>
  status >= 500 || code === 'rate_limited' || code === 'idempotency_in_progress'

/** Returns a `Retry-After` header with the longest delay among a batch's errors; no header if no error has a delay. */
export const retryAfterOf = (errors: readonly ApiError[]): Readonly<Record<string, string>> => {
  const seconds = Math.max(...errors.map(({ headers }) => Number(headers['Retry-After'] ?? 0)))
  return seconds > 0 ? { 'Retry-After': String(seconds) } : {}
}
