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

/** A look-up that has read what is stored already, and gives it when it is told to. */
const slow = () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const answer = cache.get('a', async () => {
    const found = await read()
    await promise
    return found
  })
  return { answer, finish: resolve }
}

describe('a look-up', () => {
  it('is cached for at most a second, counted from the start of the load', async () => {
    expect(await cache.get('a', read)).toBe('first')
    stored = 'second'
    nowMs = 1_000
    expect(await cache.get('a', read)).toBe('first')
    nowMs = 1_002
    expect(await cache.get('a', read)).toBe('second')
  })

  it('is forgotten as soon as its tag has changed, and no other one is', async () => {
    await cache.get('a', read)
    await cache.get('b', async () => ({ value: stored, tags: ['project:2'], bytes: 10 }))
    stored = 'second'
    cache.invalidate('project:1')
    expect(await cache.get('a', read)).toBe('second')
    expect(await cache.get('b', read)).toBe('first')
  })

  it('that is on its way while its tag changes is not kept, nor given to who asks after the change', async () => {
    const { answer, finish } = slow()
    stored = 'second'
    cache.invalidate('project:1')
    expect(await cache.get('b', read)).toBe('second')
    const asked = cache.get('a', read)
    finish()
    expect(await answer).toBe('first')
    expect(await asked).toBe('second')
    expect(await cache.get('a', read)).toBe('second')
  })

  it('is made once for all who ask at a time', async () => {
    const { answer, finish } = slow()
    const second = cache.get('a', () => Promise.reject(new Error('a second look-up')))
    finish()
    expect([await answer, await second]).toEqual(['first', 'first'])
  })

  it('that finds nothing, or fails, is made anew', async () => {
    expect(await cache.get('a', async () => undefined)).toBeUndefined()
    await expect(cache.get('a', () => Promise.reject(new Error('away')))).rejects.toThrow('away')
    expect(await cache.get('a', read)).toBe('first')
  })

  it('is made each time while changes are not heard', async () => {
    await cache.get('a', read)
    cache.onDisconnect()
    stored = 'second'
    expect(await cache.get('a', read)).toBe('second')
    stored = 'third'
    expect(await cache.get('a', read)).toBe('third')
  })

  it('that began before changes were heard again is not kept', async () => {
    cache.onDisconnect()
    const { answer, finish } = slow()
    stored = 'second'
    cache.onReconnect()
    finish()
    await answer
    expect(await cache.get('a', read)).toBe('second')
  })
})

it('takes a bounded amount of memory: the oldest go first, and what is very large is not kept', async () => {
  const mebibyte = 1_048_576
  const size = (bytes: number) => async () => ({ value: stored, tags: [], bytes })
  for (let number = 0; number < 40; number += 1) await cache.get(`n${number}`, size(mebibyte))
  await cache.get('large', size(3 * mebibyte))
  stored = 'second'
  expect(await cache.get('n39', size(1))).toBe('first')
  expect(await cache.get('n0', size(1))).toBe('second')
  expect(await cache.get('large', size(1))).toBe('second')
})
