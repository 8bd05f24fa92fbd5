import fc from 'fast-check'
import { expect, test } from 'vitest'
import { codePointLength, utf8Length } from './text-length.ts'

const anyString = fc.string({ unit: 'binary', maxLength: 50 })
/** The code units of strings that can contain lone surrogates. */
const anyUnits = fc.array(fc.oneof(fc.integer({ min: 0xd700, max: 0xe000 }), fc.integer({ min: 0, max: 0xffff })), { maxLength: 40 })

test('counts as many bytes as TextEncoder, including lone surrogates', () => {
  fc.assert(
    fc.property(anyUnits, (units) => {
      const value = String.fromCharCode(...units)
      expect(utf8Length(value)).toBe(new TextEncoder().encode(value).length)
    }),
  )
})

test('counts as many code points as string iteration', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        anyString,
        anyUnits.map((units) => String.fromCharCode(...units)),
      ),
      (value) => {
        expect(codePointLength(value)).toBe([...value].length)
      },
    ),
  )
})

test('counts an emoji as one character and four bytes', () => {
  expect(codePointLength('a😀')).toBe(2)
  expect(utf8Length('a😀')).toBe(5)
})
