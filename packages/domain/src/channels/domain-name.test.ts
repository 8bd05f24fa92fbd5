import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toAsciiDomain, toUnicodeDomain } from './domain-name.ts'

/** Labels in several scripts; some are valid in a domain, and some are not. */
const label = fc.string({ unit: fc.constantFrom(...'abz09-éüßΣς用あ한אаЖ😀\u0301'), minLength: 1, maxLength: 12 })
const domain = fc.array(label, { minLength: 2, maxLength: 4 }).map((labels) => labels.join('.'))

describe('toAsciiDomain', () => {
  it.each([
    ['Bücher.Example', 'xn--bcher-kva.example'],
    ['XN--BCHER-KVA.example', 'xn--bcher-kva.example'],
    ['bu\u0308cher.xn--fiq228c', 'xn--bcher-kva.xn--fiq228c'],
    ['STRAẞE.example', 'xn--strae-oqa.example'],
    ['ΟΔΟΣ.example', toAsciiDomain('οδοσ.example')],
  ])('converts %s to %s', (given, expected) => expect(toAsciiDomain(given)).toBe(expected))

  it.each([
    ['a domain that URL parsing rejects', 'ä.0x1f'],
    ['a domain that IDNA rejects', '1א.example'],
    ['a path', 'ä.example/b'],
    ['a port', 'ä.example:25'],
    ['a password', 'a:b@ä.example'],
    ['an address literal', '[ä]'],
    ['an IPv4 address in hexadecimal', '0x7f.1'],
    ['a malformed label', 'xn--a.example'],
    ['an empty text', ''],
  ])('leaves %s unchanged', (_, given) => expect(toAsciiDomain(given)).toBe(given))
})

describe('toUnicodeDomain', () => {
  it.each([
    ['xn--bcher-kva.EXAMPLE', 'bücher.example'],
    ['XN--BCHER-KVA.xn--fiq228c', 'bücher.中文'],
    ['Bücher.example', 'bücher.example'],
    ['example.com', 'example.com'],
    ['xn--mxaq.example', 'αι.example'],
  ])('converts %s to %s', (given, expected) => expect(toUnicodeDomain(given)).toBe(expected))

  it.each([
    'xn--a.example',
    'xn--.example',
    'xn--99999999.example',
    'xn--ab-.example',
    'xn--zzzzzzzzzzzz.example',
    `xn--${'9'.repeat(2_000)}a.example`,
    'xn--😀.example',
  ])('leaves the malformed domain %s unchanged', (given) => expect(toUnicodeDomain(given)).toBe(given))

  it('converts every ASCII form back', () => {
    fc.assert(
      fc.property(domain, (given) => {
        const inAscii = toAsciiDomain(given)
        expect(toUnicodeDomain(inAscii)).toBe(toUnicodeDomain(given))
        expect(toAsciiDomain(toUnicodeDomain(inAscii))).toBe(inAscii)
      }),
    )
  })

  it('never throws and never changes the ASCII form', () => {
    const encoded = fc.string({ unit: fc.constantFrom(...'abkvz059-'), maxLength: 70 }).map((text) => `xn--${text}.example`)
    fc.assert(
      fc.property(fc.oneof(encoded, fc.string()), (given) => {
        expect(toAsciiDomain(toUnicodeDomain(given))).toBe(toAsciiDomain(given))
      }),
    )
  })
})
