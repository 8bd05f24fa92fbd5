import type { Rejection } from './rejection.ts'

/** How far ahead a message can be scheduled, in milliseconds. */
export const maxDelayMs = 30 * 24 * 3_600_000

/** The time at which to send a message, or a rejection. `at` is in milliseconds since the epoch; `undefined` means now. */
export type Schedule = { readonly ok: true; readonly at: number | undefined } | Rejection<'validation_failed'>

/**
 * Parses a request's `send_at`. A past time means now. A time more than 30 days ahead is rejected.
 * @param sendAt An RFC 3339 timestamp.
 * @param nowMs The current time, in milliseconds since the epoch.
 */
export const parseSendAt = (sendAt: string | undefined, nowMs: number): Schedule => {
  const at = sendAt === undefined ? nowMs : Date.parse(sendAt)
  if (at <= nowMs + maxDelayMs) return { ok: true, at: at > nowMs ? at : undefined }
  const issue = { pointer: '/send_at', code: 'too_big', message: 'Must be at most 30 days in the future.' } as const
  return { ok: false, code: 'validation_failed', detail: 'The request has 1 validation error.', errors: [issue] }
}
