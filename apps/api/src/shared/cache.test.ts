import { beforeEach, describe, expect, it } from 'vitest'
import { type Cache, createCache } from './cache.ts'

let nowMs: number
let cache: Cache
let stored: string

beforeEach(() => {
  nowMs = 1
  cache = createCache({ nowMs: () => nowMs })
  cache.onReconnect()
  stored = 'first'
})

const read = async () => ({ value: stored, tags: ['project:1'], bytes: 10 })

/** Starts a load that reads the stored value at once and returns it when `finish` is called. */
const slow = () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const loaded = cache.get('a', async () => {
    const entry = await read()
    await promise
    return entry
  })
  return { loaded, finish: resolve }
}

describe('an entry', () => {
  it('is cached for at most a second, counted from the start of the load', async () => {
    const readFor600Ms = async () => {
      nowMs += 600
      return read()
    }
    expect(await cache.get('a', readFor600Ms)).toBe('first')
    stored = 'second'
    nowMs = 1_000
    expect(await cache.get('a', read)).toBe('first')
    nowMs = 1_002
    expect(await cache.get('a', read)).toBe('second')
  })

  it('is removed when its tag is invalidated, while other entries stay', async () => {
    await cache.get('a', read)
    await cache.get('b', async () => ({ value: stored, tags: ['project:2'], bytes: 10 }))
    stored = 'second'
    cache.invalidate('project:1')
    expect(await cache.get('a', read)).toBe('second')
    expect(await cache.get('b', read)).toBe('first')
  })

  it('is not cached or shared when its tag is invalidated during the load', async () => {
    const { loaded, finish } = slow()
    stored = 'second'
    cache.invalidate('project:1')
    expect(await cache.get('b', read)).toBe('second')
    const later = cache.get('a', read)
    finish()
    expect(await loaded).toBe('first')
    expect(await later).toBe('second')
    expect(await cache.get('a', read)).toBe('second')
  })

  it('is loaded once for concurrent calls', async () => {
    const { loaded, finish } = slow()
    const second = cache.get('a', () => Promise.reject(new Error('a second load')))
    finish()
    expect([await loaded, await second]).toEqual(['first', 'first'])
  })

  it('is loaded again after a failure or an undefined result', async () => {
    expect(await cache.get('a', async () => undefined)).toBeUndefined()
    await expect(cache.get('a', () => Promise.reject(new Error('away')))).rejects.toThrow('away')
    expect(await cache.get('a', read)).toBe('first')
  })

  it('is loaded each time while disconnected', async () => {
    await cache.get('a', read)
    cache.onDisconnect()
    stored = 'second'
    expect(await cache.get('a', read)).toBe('second')
    stored = 'third'
    expect(await cache.get('a', read)).toBe('third')
  })

  it('is not cached when its load started before the reconnect', async () => {
    cache.onDisconnect()
    const { loaded, finish } = slow()
    stored = 'second'
    cache.onReconnect()
    finish()
    await loaded
    expect(await cache.get('a', read)).toBe('second')
  })
})

it('evicts the oldest entries at the size limit and does not cache very large ones', async () => {
  const mebibyte = 1_048_576
  const size = (bytes: number) => async () => ({ value: stored, tags: [], bytes })
  for (let number = 0; number < 40; number += 1) await cache.get(`n${number}`, size(mebibyte))
  await cache.get('large', size(3 * mebibyte))
  stored = 'second'
  expect(await cache.get('n39', size(1))).toBe('first')
  expect(await cache.get('n0', size(1))).toBe('second')
  expect(await cache.get('large', size(1))).toBe('second')
})
