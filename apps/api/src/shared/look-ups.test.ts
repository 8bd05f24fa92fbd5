import { beforeEach, describe, expect, it } from 'vitest'
import { createLookUps, type LookUps } from './look-ups.ts'

let nowMs: number
let lookUps: LookUps
let stored: string

beforeEach(() => {
  nowMs = 0
  lookUps = createLookUps({ nowMs: () => nowMs })
  lookUps.regained()
  stored = 'first'
})

const read = async () => ({ value: stored, topics: ['project:1'], bytes: 10 })

/** A look-up that has read what is stored already, and gives it when it is told to. */
const slow = () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const answer = lookUps.get('a', async () => {
    const found = await read()
    await promise
    return found
  })
  return { answer, finish: resolve }
}

describe('a look-up', () => {
  it('is kept for less than a second, counted from its beginning', async () => {
    expect(await lookUps.get('a', read)).toBe('first')
    stored = 'second'
    nowMs = 999
    expect(await lookUps.get('a', read)).toBe('first')
    nowMs = 1000
    expect(await lookUps.get('a', read)).toBe('second')
  })

  it('is forgotten as soon as its topic has changed, and no other one is', async () => {
    await lookUps.get('a', read)
    await lookUps.get('b', async () => ({ value: stored, topics: ['project:2'], bytes: 10 }))
    stored = 'second'
    lookUps.changed('project:1')
    expect(await lookUps.get('a', read)).toBe('second')
    expect(await lookUps.get('b', read)).toBe('first')
  })

  it('that is on its way while its topic changes is not kept, nor given to who asks after the change', async () => {
    const { answer, finish } = slow()
    stored = 'second'
    lookUps.changed('project:1')
    expect(await lookUps.get('b', read)).toBe('second')
    const asked = lookUps.get('a', read)
    finish()
    expect(await answer).toBe('first')
    expect(await asked).toBe('second')
    expect(await lookUps.get('a', read)).toBe('second')
  })

  it('is made once for all who ask at a time', async () => {
    const { answer, finish } = slow()
    const second = lookUps.get('a', () => Promise.reject(new Error('a second look-up')))
    finish()
    expect([await answer, await second]).toEqual(['first', 'first'])
  })

  it('that finds nothing, or fails, is made anew', async () => {
    expect(await lookUps.get('a', async () => undefined)).toBeUndefined()
    await expect(lookUps.get('a', () => Promise.reject(new Error('away')))).rejects.toThrow('away')
    expect(await lookUps.get('a', read)).toBe('first')
  })

  it('is made each time while changes are not heard', async () => {
    await lookUps.get('a', read)
    lookUps.lost()
    stored = 'second'
    expect(await lookUps.get('a', read)).toBe('second')
    stored = 'third'
    expect(await lookUps.get('a', read)).toBe('third')
  })

  it('that began before changes were heard again is not kept', async () => {
    lookUps.lost()
    const { answer, finish } = slow()
    stored = 'second'
    lookUps.regained()
    finish()
    await answer
    expect(await lookUps.get('a', read)).toBe('second')
  })
})

it('takes a bounded amount of memory: the oldest go first, and what is very large is not kept', async () => {
  const mebibyte = 1_048_576
  const size = (bytes: number) => async () => ({ value: stored, topics: [], bytes })
  for (let number = 0; number < 40; number += 1) await lookUps.get(`n${number}`, size(mebibyte))
  await lookUps.get('large', size(3 * mebibyte))
  stored = 'second'
  expect(await lookUps.get('n39', size(1))).toBe('first')
  expect(await lookUps.get('n0', size(1))).toBe('second')
  expect(await lookUps.get('large', size(1))).toBe('second')
})
