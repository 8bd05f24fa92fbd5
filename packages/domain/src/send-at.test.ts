import { expect, test } from 'vitest'
import { longestDelayMs, readSendAt } from './send-at.ts'

const now = Date.parse('2026-11-21T10:00:00Z')
const text = (at: number) => new Date(at).toISOString()

test('a message without send_at, or with one that has passed, is sent now', () => {
  expect(readSendAt(undefined, now)).toEqual({ ok: true, at: undefined })
  expect(readSendAt(text(now), now)).toEqual({ ok: true, at: undefined })
  expect(readSendAt('2001-01-01T00:00:00Z', now)).toEqual({ ok: true, at: undefined })
})

test('a message is put off for up to 30 days, and refused for a millisecond more', () => {
  expect(readSendAt(text(now + 1), now)).toEqual({ ok: true, at: now + 1 })
  expect(readSendAt(text(now + longestDelayMs), now)).toEqual({ ok: true, at: now + longestDelayMs })
  expect(readSendAt(text(now + longestDelayMs + 1), now)).toMatchObject({
    ok: false,
    code: 'validation_failed',
    errors: [{ pointer: '/send_at', code: 'too_big' }],
  })
})
