import type { PlanDeps } from './plan-deliveries.ts'
import type { BodyIssue, Rejection } from './rejection.ts'
import { checkTargetList } from './target-issues.ts'

/** The maximum delay between a request and the scheduled time of its messages, in milliseconds. */
export const maxDelayMs = 30 * 24 * 3_600_000

// The latest time that RFC 3339 can express in UTC. A timestamp with a UTC offset can denote a later time.
const maxTimestampMs = Date.parse('9999-12-31T23:59:59.999Z')

/** The fields of a request that determine when its messages may be sent. Both are RFC 3339 timestamps. */
export interface ScheduleFields {
  readonly send_at?: string | undefined
  readonly expires_at?: string | undefined
}

/** The period in which a notification's messages may be sent, in milliseconds since the epoch. */
export interface Schedule {
  /** The earliest time; `undefined` means now. */
  readonly at: number | undefined
  /** No attempt may start at or after this time. `undefined` means that the notification does not expire. */
  readonly expiresAt: number | undefined
}

type ChannelOf = PlanDeps<never>['channelOf']

const timeOf = (value: unknown): number => (typeof value === 'string' ? Date.parse(value) : Number.NaN)

const findScheduleIssues = ({ send_at, expires_at }: { send_at?: unknown; expires_at?: unknown }, nowMs: number): BodyIssue[] => {
  const at = send_at === undefined ? nowMs : timeOf(send_at)
  const expiresAt = timeOf(expires_at)
  const issues: BodyIssue[] = []
  const addExpiryIssue = (code: 'too_small' | 'too_big', message: string) => issues.push({ pointer: '/expires_at', code, message })
  if (at > nowMs + maxDelayMs) issues.push({ pointer: '/send_at', code: 'too_big', message: 'Must be at most 30 days in the future.' })
  if (expiresAt <= nowMs) addExpiryIssue('too_small', 'Must be in the future.')
  else if (expiresAt <= at) addExpiryIssue('too_small', 'Must be later than `send_at`.')
  else if (expiresAt > maxTimestampMs) addExpiryIssue('too_big', 'Must be before the year 10000 in UTC.')
  return issues
}

/**
 * Returns the issues with a send request's times and `target` that can be found without the project's settings. Ignores
 * times and targets of the wrong type.
 * @param nowMs The current time, in milliseconds since the epoch.
 */
export const findSendIssues = (body: unknown, nowMs: number, channelOf: ChannelOf): BodyIssue[] => {
  if (body === null || typeof body !== 'object') return []
  const { target } = body as { target?: unknown }
  return [...findScheduleIssues(body, nowMs), ...(typeof target === 'string' ? checkTargetList(target, channelOf).errors : [])]
}

/**
 * Parses the schedule of a request. A past `send_at` means now. A `send_at` more than 30 days ahead is rejected.
 * `expires_at` must be in the future, later than `send_at`, and before the year 10000 in UTC. A rejection also lists the
 * issues with the request's `target`.
 * @param nowMs The current time, in milliseconds since the epoch.
 */
export const parseSchedule = (
  request: ScheduleFields & { readonly target?: string | undefined },
  nowMs: number,
  channelOf: ChannelOf,
): ({ readonly ok: true } & Schedule) | Rejection<'validation_failed'> => {
  if (findScheduleIssues(request, nowMs).length > 0) {
    const errors = findSendIssues(request, nowMs, channelOf)
    const count = errors.length === 1 ? '1 validation error' : `${errors.length} validation errors`
    return { ok: false, code: 'validation_failed', detail: `The request has ${count}.`, errors }
  }
  const { send_at, expires_at } = request
  const at = send_at === undefined ? nowMs : Date.parse(send_at)
  return { ok: true, at: at > nowMs ? at : undefined, expiresAt: expires_at === undefined ? undefined : Date.parse(expires_at) }
}
