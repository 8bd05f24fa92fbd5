import type { Rejection } from './rejection.ts'

/** The maximum delay of a scheduled message, in milliseconds. */
export const maxDelayMs = 30 * 24 * 3_600_000

/** The time to send a message, in milliseconds since the epoch; `undefined` means now. */
export type Schedule = { readonly ok: true; readonly at: number | undefined } | Rejection<'validation_failed'>

/**
 * Parses the `send_at` of a request. A past time means now; a time more than 30 days ahead is rejected.
 * @param sendAt An RFC 3339 timestamp.
 * @param nowMs The current time, in milliseconds since the epoch.
 */
export const parseSendAt = (sendAt: string | undefined, nowMs: number): Schedule => {
  const at = sendAt === undefined ? nowMs : Date.parse(sendAt)
  if (at <= nowMs + maxDelayMs) return { ok: true, at: at > nowMs ? at : undefined }
  const issue = { pointer: '/send_at', code: 'too_big', message: 'Must be at most 30 days ahead.' } as const
  return { ok: false, code: 'validation_failed', detail: 'The request has 1 validation error.', errors: [issue] }
}
