import { expect, it } from 'vitest'
import { createFruitlessClaims } from './fruitless-claims.ts'

const none = { groups: [], owners: [] }
const busy = { groups: ['a', 'b'], owners: ['alice'] }

const start = () => {
  let nowMs = 1_000
  const claims = createFruitlessClaims(() => nowMs)
  const pass = (ms: number) => {
    nowMs += ms
  }
  return { claims, pass }
}

it('a claim is worth making at first, and after one that found as much as there was room for', () => {
  const { claims } = start()
  expect(claims.pauseMs(busy, true)).toBe(0)
  claims.claimed(busy, false, 10)
  expect(claims.pauseMs(busy, false)).toBe(0)
})

it('one that left nobody out is repeated without a pause', () => {
  const { claims } = start()
  claims.claimed(none, true, 10)
  expect(claims.pauseMs(none, true)).toBe(0)
  expect(claims.pauseMs(busy, false)).toBe(0)
})

it('one that left out the same or fewer is not repeated without news, and with news after four times as long as it took', () => {
  const { claims, pass } = start()
  claims.claimed(busy, true, 10)
  expect(claims.pauseMs(busy, false)).toBe(Number.POSITIVE_INFINITY)
  expect(claims.pauseMs({ groups: ['b', 'c', 'a'], owners: ['alice', 'bob'] }, false)).toBe(Number.POSITIVE_INFINITY)
  expect(claims.pauseMs(busy, true)).toBe(40)
  pass(39)
  expect(claims.pauseMs(busy, true)).toBe(1)
  pass(1)
  expect(claims.pauseMs(busy, true)).toBe(0)
  expect(claims.pauseMs(busy, false)).toBe(Number.POSITIVE_INFINITY)
})

it('a pause is half a second at most', () => {
  const { claims } = start()
  claims.claimed(busy, true, 10_000)
  expect(claims.pauseMs(busy, true)).toBe(500)
})

it.each([
  ['group', { groups: ['a'], owners: ['alice'] }],
  ['owner', { groups: ['a', 'b'], owners: [] }],
])('a %s that has room again is claimed for at once', (_, leftOut) => {
  const { claims } = start()
  claims.claimed(busy, true, 10)
  expect(claims.pauseMs(leftOut, false)).toBe(0)
})
