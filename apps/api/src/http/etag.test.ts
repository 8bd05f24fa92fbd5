import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { etagOf } from './etag.ts'

describe('the tag of a representation', () => {
  it('is the same for the same representation and another for another one', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        expect(etagOf(one)).toMatch(/^"[A-Za-z0-9_-]{22}"$/)
        expect(etagOf(structuredClone(one))).toBe(etagOf(one))
        expect(etagOf(one) === etagOf(other)).toBe(JSON.stringify(one) === JSON.stringify(other))
      }),
    )
  })
})
