import { expect, test } from 'vitest'
import { findSendIssues, maxDelayMs, parseSchedule } from './schedule.ts'
import { testChannels } from './test-flat-plan.ts'

const now = Date.parse('2026-11-21T10:00:00Z')
const text = (at: number) => new Date(at).toISOString()
const channelOf = (id: string) => testChannels.find((channel) => channel.id === id)
const parse = (send_at?: string, expires_at?: string, target?: string) => parseSchedule({ send_at, expires_at, target }, now, channelOf)

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

test('accepts an expires_at in the year 9999 in UTC, and rejects a later one', () => {
  const last = '9999-12-31T23:59:59.999Z'
  expect(parse(undefined, last)).toMatchObject({ ok: true, expiresAt: Date.parse(last) })
  for (const expires_at of ['9999-12-31T23:59:59.999-00:01', '9999-12-31T23:59:59-05:00'])
    expect(parse(undefined, expires_at)).toMatchObject({ ok: false, errors: [{ pointer: '/expires_at', code: 'too_big' }] })
})

test('reports every error at once', () => {
  expect(parse(text(now + maxDelayMs + 1), text(now))).toMatchObject({
    detail: 'The request has 2 validation errors.',
    errors: [{ pointer: '/send_at' }, { pointer: '/expires_at' }],
  })
})

test('lists the issues with the target beside those with the times', () => {
  expect(parse(undefined, text(now), 'smtp:nonsense;;ops@example.com')).toMatchObject({
    detail: 'The request has 3 validation errors.',
    errors: [
      { pointer: '/expires_at', code: 'too_small' },
      { pointer: '/target', message: expect.stringContaining('Entry 2') as string },
      { pointer: '/target', message: expect.stringContaining('Entry 1') as string },
    ],
  })
  expect(parse(undefined, undefined, 'smtp:nonsense')).toMatchObject({ ok: true })
})

test('finds the issues of a body whose other fields are invalid', () => {
  const pointersOf = (body: unknown) => findSendIssues(body, now, channelOf).map(({ pointer }) => pointer)
  expect(pointersOf({ subject: '', send_at: '2099-01-01T00:00:00Z', expires_at: text(now), target: 'smtp:nonsense' })).toEqual([
    '/send_at',
    '/expires_at',
    '/target',
  ])
  for (const body of [null, 'text', 7, [], { send_at: 'tomorrow', expires_at: 7, target: ['smtp:nonsense'] }])
    expect(pointersOf(body)).toEqual([])
})
