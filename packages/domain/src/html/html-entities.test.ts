import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeEntities } from './html-entities.ts'

describe('decodes', () => {
  test.each([
    ['&amp;&lt;&gt;&quot;&apos;', `&<>"'`],
    ['&#65;&#x42;&#X43;', 'ABC'],
    ['&#65&#x42z', 'ABz'],
    ['&#128512;', '😀'],
    ['&#0000000000000000000065;', 'A'],
    ['&nbsp;&iexcl;&iquest;&Agrave;&szlig;&agrave;&yuml;', '\u00a0¡¿Àßàÿ'],
    ['&Alpha;&Rho;&Sigma;&Omega;&alpha;&sigmaf;&omega;', 'ΑΡΣΩαςω'],
    ['&larr;&harr;&rArr;&zwnj;&rlm;', '←↔⇒\u200c\u200f'],
    ['&euro;&trade;&hellip;&ndash;&mdash;&ldquo;&rdquo;&bull;&minus;&le;&check;', '€™…–—“”•−≤✓'],
    ['&#128;&#150;', '€–'],
  ])('%s', (text, decoded) => {
    expect(decodeEntities(text)).toBe(decoded)
  })
})

describe('keeps text that is not a reference', () => {
  test.each(['?a=1&copy=2&amp', '&unknown;', '& ;', '&#;', '&#x;', '&#xg;', 'AT&T'])('%s', (text) => {
    expect(decodeEntities(text)).toBe(text)
  })
})

test('decodes only once', () => {
  expect(decodeEntities('&amp;lt;')).toBe('&lt;')
})

test('decodes a number that is not a character to U+FFFD', () => {
  expect(decodeEntities('&#0;&#xD800;&#xDFFF;&#x110000;&#99999999999999999999;')).toBe('\ufffd'.repeat(5))
})

test('never inserts a control character, a noncharacter or a lone surrogate', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0x10ffff }), fc.boolean(), (code, hex) => {
      const decoded = decodeEntities(hex ? `&#x${code.toString(16)};` : `&#${code};`)
      expect(decoded).not.toMatch(/[^\P{Cc}\t\n\f\r]/u)
      expect(decoded).not.toMatch(/\p{Noncharacter_Code_Point}/u)
      expect(decoded).not.toMatch(/\p{Surrogate}/u)
    }),
    {
      examples: [
        [0, false],
        [0x8d, true],
        [0x1b, false],
        [0x7f, true],
        [0xfdd0, true],
        [0xfdd1, false],
        [0x10ffff, true],
      ],
    },
  )
})
