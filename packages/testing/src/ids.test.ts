import { type IdKind, idPattern, idPrefixes } from '@flowpost/contract'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createIds } from './ids.ts'
import { createRandom } from './random.ts'

const kind = fc.constantFrom(...(Object.keys(idPrefixes) as IdKind[]))

it('makes ids of the shape of the interface, each later one sorting after the earlier ones', () => {
  fc.assert(
    fc.property(fc.integer(), fc.array(fc.nat({ max: 5_000 }), { minLength: 2, maxLength: 50 }), kind, (seed, steps, of) => {
      let now = Date.UTC(2026, 0, 1)
      const makeId = createIds(() => now, createRandom(seed))
      const made = steps.map((step) => {
        now += step
        return makeId(of)
      })
      for (const id of made) expect(id).toMatch(idPattern(of))
      expect(made.toSorted()).toEqual(made)
      expect(new Set(made).size).toBe(made.length)
    }),
  )
})

it('makes ids that carry the time and the version of a UUIDv7', () => {
  const now = Date.UTC(2026, 10, 21, 10)
  const id = createIds(() => now, createRandom(1))('project')
  const bits = [...id.slice('prj_'.length)].map((digit) => '0123456789abcdefghjkmnpqrstvwxyz'.indexOf(digit))
  const uuid = bits.reduce((sum, value) => (sum << 5n) | BigInt(value), 0n)
  expect(Number(uuid >> 80n)).toBe(now)
  expect((uuid >> 76n) & 15n).toBe(7n)
  expect((uuid >> 62n) & 3n).toBe(2n)
})

it('makes the same ids from the same seed and time', () => {
  const ids = () => {
    const makeId = createIds(() => 0, createRandom(7))
    return [makeId('flow'), makeId('flow'), makeId('delivery')]
  }
  expect(ids()).toEqual(ids())
  expect(new Set(ids()).size).toBe(3)
})
