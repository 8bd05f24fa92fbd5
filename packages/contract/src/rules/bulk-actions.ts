import { bulkActionSelects } from '../bulk-actions.ts'
import type { FieldError } from '../problem.ts'
import { ApiError } from './api-error.ts'

const objectOf = (value: unknown): Readonly<Record<string, unknown>> =>
  value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : {}

const timeOf = (value: unknown): number => (typeof value === 'string' ? Date.parse(value) : Number.NaN)

// The range of times that RFC 3339 can express in UTC. A timestamp with a UTC offset can denote a time outside this
// range.
const [minMs, maxMs] = [Date.parse('0000-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59.999Z')]

/**
 * Validates the filter in a request to create a bulk action. Returns an error for a delivery status that the filter of this
 * action does not accept, for a time outside the years 0000 to 9999 in UTC, and for an empty time range. Ignores values that
 * the schema rejects.
 */
export const findBulkActionErrors = (body: unknown): FieldError[] => {
  const { action, filter } = objectOf(body)
  const { status, created_after: after, created_before: before } = objectOf(filter)
  const toError = (field: string, message: string): FieldError => ({
    in: 'body',
    pointer: `/filter/${field}`,
    code: 'invalid_value',
    message,
  })
  const errors: FieldError[] = []
  const selected = action === 'retry' || action === 'cancel' ? bulkActionSelects[action] : undefined
  const isKnown = Object.values(bulkActionSelects)
    .flat()
    .includes(status as never)
  if (selected && isKnown && !selected.includes(status as never))
    errors.push(toError('status', `Must be ${selected.map((value) => `\`${value}\``).join(' or ')} for the action \`${action}\`.`))
  for (const [field, value] of Object.entries({ created_after: after, created_before: before }))
    if (timeOf(value) < minMs || timeOf(value) > maxMs) errors.push(toError(field, 'Must have a year from 0000 to 9999 in UTC.'))
  if (timeOf(before) <= timeOf(after)) errors.push(toError('created_before', 'Must be later than created_after.'))
  return errors
}

/** The maximum number of running bulk actions per user. The description of `bulkActions.create` repeats this number. */
export const maxRunningBulkActions = 10

const retryAfterSeconds = 10

/**
 * Rejects a new bulk action if the user already has the maximum number of running bulk actions.
 * @throws ApiError `rate_limited`.
 */
export const requireBulkActionCapacity = (running: number): void => {
  if (running < maxRunningBulkActions) return
  throw new ApiError(
    'rate_limited',
    `You have ${maxRunningBulkActions} running bulk actions, which is the maximum. Wait until one is done, or stop one.`,
    { headers: { 'Retry-After': String(retryAfterSeconds) } },
  )
}

/** The number of deliveries that have the same status and failure code. */
export interface DeliveryCount {
  readonly status: string
  readonly failure_code: string | null
  readonly count: number
}

/** The maximum number of counts in a response. The description of `BulkActionPreview.counts` repeats this number. */
const maxCounts = 100

const compareTexts = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

/**
 * Returns up to 100 counts for the response to a dry run, ordered by count (highest first), status and failure code.
 */
export const toPreviewCounts = (counts: Iterable<DeliveryCount>): DeliveryCount[] =>
  [...counts]
    .sort(
      (one, other) =>
        other.count - one.count || compareTexts(one.status, other.status) || compareTexts(one.failure_code ?? '', other.failure_code ?? ''),
    )
    .slice(0, maxCounts)
