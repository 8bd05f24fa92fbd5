import type { BodyIssue, Rejection } from './rejection.ts'

/** The maximum delay between a request and the scheduled time of its messages, in milliseconds. */
export const maxDelayMs = 30 * 24 * 3_600_000

/** The fields of a request that determine when its messages may be sent: RFC 3339 timestamps. */
export interface ScheduleFields {
  readonly send_at?: string | undefined
  readonly expires_at?: string | undefined
}

/** The period in which a notification's messages may be sent, in milliseconds since the epoch. */
export interface Schedule {
  /** The earliest time; `undefined` means now. */
  readonly at: number | undefined
  /** The time from which no attempt may start; `undefined` means that the notification does not expire. */
  readonly expiresAt: number | undefined
}

/**
 * Parses the schedule of a request. A past `send_at` means now. A `send_at` more than 30 days ahead is rejected.
 * `expires_at` must be in the future, and later than `send_at`.
 * @param nowMs The current time, in milliseconds since the epoch.
 */
export const parseSchedule = (
  { send_at, expires_at }: ScheduleFields,
  nowMs: number,
): ({ readonly ok: true } & Schedule) | Rejection<'validation_failed'> => {
  const at = send_at === undefined ? nowMs : Date.parse(send_at)
  const expiresAt = expires_at === undefined ? undefined : Date.parse(expires_at)
  const errors: BodyIssue[] = []
  if (at > nowMs + maxDelayMs) errors.push({ pointer: '/send_at', code: 'too_big', message: 'Must be at most 30 days in the future.' })
  if (expiresAt !== undefined && expiresAt <= nowMs)
    errors.push({ pointer: '/expires_at', code: 'too_small', message: 'Must be in the future.' })
  else if (expiresAt !== undefined && expiresAt <= at)
    errors.push({ pointer: '/expires_at', code: 'too_small', message: 'Must be later than `send_at`.' })
  if (errors.length === 0) return { ok: true, at: at > nowMs ? at : undefined, expiresAt }
  const count = errors.length === 1 ? '1 validation error' : `${errors.length} validation errors`
  return { ok: false, code: 'validation_failed', detail: `The request has ${count}.`, errors }
}
