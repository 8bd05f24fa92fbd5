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

it('a claim is worth making at first, and after one that found as much as there was room for', () => {
  const { claims } = start()
  expect(claims.delayMs(busy, true)).toBe(0)
  claims.claimed(busy, false, 10)
  expect(claims.delayMs(busy, false)).toBe(0)
})

it('one that left nobody out is repeated without a pause', () => {
  const { claims } = start()
  claims.claimed(none, true, 10)
  expect(claims.delayMs(none, true)).toBe(0)
  expect(claims.delayMs(busy, false)).toBe(0)
})

it('one that left out the same or fewer is not repeated without news, and with news after four times as long as it took', () => {
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

it('a pause is half a second at most', () => {
  const { claims } = start()
  claims.claimed(busy, true, 10_000)
  expect(claims.delayMs(busy, true)).toBe(500)
})

it.each([
  ['project', { projectIds: ['a'], userIds: ['alice'] }],
  ['user', { projectIds: ['a', 'b'], userIds: [] }],
])('a %s that has room again is claimed for at once', (_, leftOut) => {
  const { claims } = start()
  claims.claimed(busy, true, 10)
  expect(claims.delayMs(leftOut, false)).toBe(0)
})
