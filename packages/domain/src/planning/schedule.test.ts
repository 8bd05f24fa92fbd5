import { expect, test } from 'vitest'
import { maxDelayMs, parseSchedule } from './schedule.ts'

const now = Date.parse('2026-11-21T10:00:00Z')
const text = (at: number) => new Date(at).toISOString()
const parse = (send_at?: string, expires_at?: string) => parseSchedule({ send_at, expires_at }, now)

test('sends now if send_at is missing or in the past', () => {
  expect(parse()).toEqual({ ok: true, at: undefined, expiresAt: undefined })
  expect(parse(text(now))).toMatchObject({ ok: true, at: undefined })
  expect(parse('2001-01-01T00:00:00Z')).toMatchObject({ ok: true, at: undefined })
})

test('accepts a send_at up to 30 days ahead, and rejects a millisecond more', () => {
  expect(parse(text(now + 1))).toMatchObject({ ok: true, at: now + 1 })
  expect(parse(text(now + maxDelayMs))).toMatchObject({ ok: true, at: now + maxDelayMs })
  expect(parse(text(now + maxDelayMs + 1))).toMatchObject({
    ok: false,
    code: 'validation_failed',
    errors: [{ pointer: '/send_at', code: 'too_big' }],
  })
})

test('accepts any expires_at in the future, and rejects the current time', () => {
  expect(parse(undefined, text(now + 1))).toEqual({ ok: true, at: undefined, expiresAt: now + 1 })
  expect(parse('2001-01-01T00:00:00Z', text(now + 1))).toMatchObject({ ok: true, expiresAt: now + 1 })
  expect(parse(undefined, text(now))).toMatchObject({ ok: false, errors: [{ pointer: '/expires_at', code: 'too_small' }] })
})

test('requires expires_at to be later than send_at', () => {
  expect(parse(text(now + 5), text(now + 6))).toMatchObject({ ok: true, at: now + 5, expiresAt: now + 6 })
  expect(parse(text(now + 5), text(now + 5))).toMatchObject({
    ok: false,
    errors: [{ pointer: '/expires_at', message: 'Must be later than `send_at`.' }],
  })
})

test('reports every error at once', () => {
  expect(parse(text(now + maxDelayMs + 1), text(now))).toMatchObject({
    detail: 'The request has 2 validation errors.',
    errors: [{ pointer: '/send_at' }, { pointer: '/expires_at' }],
  })
})
