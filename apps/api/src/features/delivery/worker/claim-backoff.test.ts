import { expect, it } from 'vitest'
import { createClaimBackoff } from './claim-backoff.ts'

const none = { projectIds: [], userIds: [] }
const busy = { projectIds: ['a', 'b'], userIds: ['alice'] }

const start = () => {
  let nowMs = 1_000
  const claims = createClaimBackoff(() => nowMs)
  const pass = (ms: number) => {
    nowMs += ms
  }
  return { claims, pass }
}

it('does not delay the first claim, or a claim when the last claim found as many jobs as its limit', () => {
  const { claims } = start()
  expect(claims.delayMs(busy, true)).toBe(0)
  claims.claimed(busy, false, 10)
  expect(claims.delayMs(busy, false)).toBe(0)
})

it('does not delay a claim when the last claim had no exclusions', () => {
  const { claims } = start()
  claims.claimed(none, true, 10)
  expect(claims.delayMs(none, true)).toBe(0)
  expect(claims.delayMs(busy, false)).toBe(0)
})

it('delays a claim with the same or more exclusions indefinitely, or with new jobs by four times the duration of the last claim', () => {
  const { claims, pass } = start()
  claims.claimed(busy, true, 10)
  expect(claims.delayMs(busy, false)).toBe(Number.POSITIVE_INFINITY)
  expect(claims.delayMs({ projectIds: ['b', 'c', 'a'], userIds: ['alice', 'bob'] }, false)).toBe(Number.POSITIVE_INFINITY)
  expect(claims.delayMs(busy, true)).toBe(40)
  pass(39)
  expect(claims.delayMs(busy, true)).toBe(1)
  pass(1)
  expect(claims.delayMs(busy, true)).toBe(0)
  expect(claims.delayMs(busy, false)).toBe(Number.POSITIVE_INFINITY)
})

it('delays a claim by at most half a second', () => {
  const { claims } = start()
  claims.claimed(busy, true, 10_000)
  expect(claims.delayMs(busy, true)).toBe(500)
})

it.each([
  ['project', { projectIds: ['a'], userIds: ['alice'] }],
  ['user', { projectIds: ['a', 'b'], userIds: [] }],
])('does not delay a claim when a %s is no longer excluded', (_, excluded) => {
  const { claims } = start()
  claims.claimed(busy, true, 10)
  expect(claims.delayMs(excluded, false)).toBe(0)
})
