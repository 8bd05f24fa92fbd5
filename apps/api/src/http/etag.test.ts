import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ApiError } from '../shared/api-error.ts'
import { etagOf, isNotModified, requireMatch } from './etag.ts'

// What RFC 9110, section 8.8.3 allows between the quotes.
const tagText = fc.string({
  unit: fc.constantFrom(...Array.from({ length: 0x7e - 0x23 + 1 }, (_, index) => String.fromCharCode(0x23 + index)), '!'),
})
const tag = tagText.map((text) => `"${text}"`)
const listed = fc.tuple(fc.constantFrom('', 'W/'), tag).map(([weak, text]) => weak + text)
const headerWith = (...tags: string[]) => tags.join(' , ')

const matches = (header: string | undefined, etag: string): boolean => {
  try {
    requireMatch(header, () => etag)
    return true
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError)
    expect((error as ApiError).code).toBe('etag_mismatch')
    return false
  }
}

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

describe('If-Match', () => {
  it('lets a write pass without it, with `*`, and with the tag anywhere in a list', () => {
    fc.assert(
      fc.property(fc.array(listed), tag, fc.array(listed), (before, etag, after) => {
        expect(matches(undefined, etag)).toBe(true)
        expect(matches('*', etag)).toBe(true)
        expect(matches(headerWith(...before, etag, ...after), etag)).toBe(true)
      }),
    )
  })

  it('refuses when the tag is not there, whatever the others contain', () => {
    fc.assert(
      fc.property(fc.array(listed, { minLength: 1 }), tag, (others, etag) => {
        fc.pre(!others.includes(etag))
        expect(matches(headerWith(...others), etag)).toBe(false)
      }),
    )
  })

  it('refuses a weak tag, and text that only looks like a tag or a star', () => {
    for (const header of ['W/"a"', '"a,*,b"', '"*"', '"x,"y', '""', 'W/"a","b"']) expect(matches(header, '"a"'), header).toBe(false)
  })

  it('does not make the tag when there is nothing to compare it with', () => {
    requireMatch(undefined, () => expect.unreachable())
    requireMatch('*', () => expect.unreachable())
  })
})

describe('If-None-Match', () => {
  it('is met by the tag, weak or strong, anywhere in a list, and by `*`', () => {
    fc.assert(
      fc.property(fc.array(listed), fc.constantFrom('', 'W/'), tag, fc.array(listed), (before, weak, etag, after) => {
        expect(isNotModified(headerWith(...before, weak + etag, ...after), etag)).toBe(true)
        expect(isNotModified('*', etag)).toBe(true)
        expect(isNotModified(undefined, etag)).toBe(false)
      }),
    )
  })

  it('is not met by others', () => {
    fc.assert(
      fc.property(fc.array(listed), tag, (others, etag) => {
        fc.pre(!others.some((other) => other.replace(/^W\//, '') === etag))
        expect(isNotModified(headerWith(...others), etag)).toBe(false)
      }),
    )
  })
})
