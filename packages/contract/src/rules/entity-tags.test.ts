import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isNotModified, requireMatch } from './entity-tags.ts'

// The characters that RFC 9110, section 8.8.3 allows between the quotes.
const tagText = fc.string({
  unit: fc.constantFrom(...Array.from({ length: 0x7e - 0x23 + 1 }, (_, index) => String.fromCharCode(0x23 + index)), '!'),
})
const tag = tagText.map((text) => `"${text}"`)
const listed = fc.tuple(fc.constantFrom('', 'W/'), tag).map(([weak, text]) => weak + text)
const headerWith = (...tags: string[]) => tags.join(' , ')

const allowsWrite = (ifMatch: string | null | undefined, getEtag: () => string): boolean => {
  try {
    requireMatch(ifMatch, getEtag)
    return true
  } catch (error) {
    expect(error).toMatchObject({ code: 'etag_mismatch' })
    return false
  }
}

describe('If-Match', () => {
  it('allows a write without the header, with `*`, and with the tag anywhere in a list', () => {
    fc.assert(
      fc.property(fc.array(listed), tag, fc.array(listed), (before, etag, after) => {
        expect(allowsWrite(undefined, () => etag)).toBe(true)
        expect(allowsWrite('*', () => etag)).toBe(true)
        expect(allowsWrite(headerWith(...before, etag, ...after), () => etag)).toBe(true)
      }),
    )
  })

  it('rejects a write without the tag, whatever the other tags contain', () => {
    fc.assert(
      fc.property(fc.array(listed, { minLength: 1 }), tag, (others, etag) => {
        fc.pre(!others.includes(etag))
        expect(allowsWrite(headerWith(...others), () => etag)).toBe(false)
      }),
    )
  })

  it('rejects a weak tag, and tags whose text contains the current tag or an asterisk', () => {
    for (const header of ['W/"a"', '"a,*,b"', '"*"', '"x,"y', '""', 'W/"a","b"'])
      expect(
        allowsWrite(header, () => '"a"'),
        header,
      ).toBe(false)
  })

  it('does not compute the current tag if there are no tags to compare', () => {
    expect(allowsWrite(null, () => expect.unreachable())).toBe(true)
    expect(allowsWrite('*', () => expect.unreachable())).toBe(true)
  })
})

describe('If-None-Match', () => {
  it('matches the tag, weak or strong, anywhere in a list, and `*`', () => {
    fc.assert(
      fc.property(fc.array(listed), fc.constantFrom('', 'W/'), tag, fc.array(listed), (before, weak, etag, after) => {
        expect(isNotModified(headerWith(...before, weak + etag, ...after), etag)).toBe(true)
        expect(isNotModified('*', etag)).toBe(true)
        expect(isNotModified(undefined, etag)).toBe(false)
        expect(isNotModified(null, etag)).toBe(false)
      }),
    )
  })

  it('does not match other tags', () => {
    fc.assert(
      fc.property(fc.array(listed), tag, (others, etag) => {
        fc.pre(!others.some((other) => other.replace(/^W\//, '') === etag))
        expect(isNotModified(headerWith(...others), etag)).toBe(false)
      }),
    )
  })
})
