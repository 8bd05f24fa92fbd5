import { expect, test } from 'vitest'
import { maxDelayMs, parseSendAt } from './send-at.ts'

const now = Date.parse('2026-11-21T10:00:00Z')
const text = (at: number) => new Date(at).toISOString()

test('sends now without send_at, or with a past one', () => {
  expect(parseSendAt(undefined, now)).toEqual({ ok: true, at: undefined })
  expect(parseSendAt(text(now), now)).toEqual({ ok: true, at: undefined })
  expect(parseSendAt('2001-01-01T00:00:00Z', now)).toEqual({ ok: true, at: undefined })
})

test('accepts up to 30 days, and rejects a millisecond more', () => {
  expect(parseSendAt(text(now + 1), now)).toEqual({ ok: true, at: now + 1 })
  expect(parseSendAt(text(now + maxDelayMs), now)).toEqual({ ok: true, at: now + maxDelayMs })
  expect(parseSendAt(text(now + maxDelayMs + 1), now)).toMatchObject({
    ok: false,
    code: 'validation_failed',
    errors: [{ pointer: '/send_at', code: 'too_big' }],
  })
})
