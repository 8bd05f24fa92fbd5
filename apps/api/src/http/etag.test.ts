import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { etagOf } from './etag.ts'

describe('etagOf', () => {
  it('returns equal tags if and only if the representations are equal', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        expect(etagOf(one)).toMatch(/^"[A-Za-z0-9_-]{22}"$/)
        expect(etagOf(structuredClone(one))).toBe(etagOf(one))
        expect(etagOf(one) === etagOf(other)).toBe(JSON.stringify(one) === JSON.stringify(other))
      }),
    )
  })
})
