import type { Refusal } from './refusal.ts'

/** How far ahead a message may be scheduled. */
export const longestDelayMs = 30 * 24 * 3_600_000

/** When a message is to be sent, in milliseconds since the epoch; `undefined`: now. */
export type Schedule = { readonly ok: true; readonly at: number | undefined } | Refusal<'validation_failed'>

/**
 * Reads the `send_at` of a request. What has passed already is sent now; more than 30 days ahead is refused.
 * @param sendAt An RFC 3339 timestamp.
 * @param nowMs The present instant, in milliseconds since the epoch.
 */
export const readSendAt = (sendAt: string | undefined, nowMs: number): Schedule => {
  const at = sendAt === undefined ? nowMs : Date.parse(sendAt)
  if (at <= nowMs + longestDelayMs) return { ok: true, at: at > nowMs ? at : undefined }
  const fault = { pointer: '/send_at', code: 'too_big', message: 'Must be at most 30 days ahead.' } as const
  return { ok: false, code: 'validation_failed', detail: 'The request has a fault.', errors: [fault] }
}
