import fc from 'fast-check'
import MimeNode from 'nodemailer/lib/mime-node'
import { describe, expect, it } from 'vitest'
import { encodeMailbox, encodeSubject } from './headers.ts'

const trickyPieces = fc.constantFrom(
  ...['=', '?', '=?', '?=', '=?utf-8?Q?a?=', '=?utf-8?Q?a b?=', '=?x', '"', "'", '\\', ',', ';', ':', '(', ')', '<', '>', '@', '[', ']'],
  ...['.', '..', '_', '-', '--', '%41', ' ', '  ', '\t', '\r', '\n', '\r\nBcc: eve@example.com', '\0', '\u001b', '\u007f', '\u0080'],
  ...['A', '1', '0x7f', 'xn--', 'é', '語', '🚀', '\ud800', '\u00a0', '\u2028', 'x'.repeat(66), 'x'.repeat(67), 'x'.repeat(80)],
)
/** Plain text, half of the time with a tricky piece at a random position. */
const withTrickyPiece = (plain: fc.Arbitrary<string>) =>
  fc.tuple(plain, fc.oneof(fc.constant(''), trickyPieces), fc.nat(20)).map(([text, piece, offset]) => {
    const position = offset % (text.length + 1)
    return text.slice(0, position) + piece + text.slice(position)
  })
const texts = fc.oneof(
  withTrickyPiece(fc.stringMatching(/^[ -~]{0,20}$/)),
  fc.array(fc.oneof(trickyPieces, fc.constant(' Invoice 42')), { maxLength: 6 }).map((pieces) => pieces.join('')),
)
const names = fc.oneof(fc.constantFrom('', ' ', '  '), withTrickyPiece(fc.stringMatching(/^\w{1,6} {0,2}\w{0,6}$/)), texts)
const locals = fc.stringMatching(/^[\w!#$%&'*+/=?^`{|}~-]{1,6}(?:\.[\w!#$%&'*+/=?^`{|}~-]{1,6}){0,2}$/)
const domains = fc.oneof(
  fc.stringMatching(/^[a-z0-9-]{1,6}(?:\.[a-z0-9-]{1,6}){0,3}$/),
  fc.constantFrom('example.com', '1.2.3', 'localhost'),
)
const addresses = fc.oneof(
  fc.tuple(withTrickyPiece(locals), domains).map(([local, domain]) => `${local}@${domain}`),
  fc.tuple(locals, withTrickyPiece(domains)).map(([local, domain]) => `${local}@${domain}`),
  texts,
)
const parameters = { numRuns: 2000 }
/** nodemailer does not encode text that looks like an encoded word. */
const isDecodedByReaders = (text: string) => text.includes('=?')

describe('encodeSubject', () => {
  it('returns the same result as nodemailer, unless a reader would show a different subject', () => {
    fc.assert(
      fc.property(texts, (subject) => {
        fc.pre(!isDecodedByReaders(subject) && !subject.endsWith(' '))
        expect(encodeSubject(subject)).toBe(MimeNode.encodeHeaderValue('Subject', subject))
      }),
      parameters,
    )
  })

  it.each([
    ...['"Ready"', '=?utf-8?Q?a b?=', 'x =?utf-8?X?x?=', 'a\u007fb', 'a\u0000b', 'Zoë'],
    ...['=?utf-8?Q?a?=', 'see =?utf-8?B?aGk=?= here', 'Ready '],
  ])('encodes %j', (subject) => {
    expect(encodeSubject(subject)).toMatch(/^=\?UTF-8\?[QB]\?[!->@-~]+\?=$/)
  })

  it.each(['x'.repeat(998), `  ${'x'.repeat(996)}`, `${'x'.repeat(996)}  `, 'y'.repeat(990)])(
    'encodes a subject with a word too long for one line: %#',
    (subject) => {
      const encoded = encodeSubject(subject)
      expect(encoded).toMatch(/^(?:=\?UTF-8\?Q\?[!->@-~]{1,40}\?=(?: |$))+$/)
      const words = encoded.split(' ').map((word) => word.slice('=?UTF-8?Q?'.length, -'?='.length))
      expect(words.join('').replace(/_|=20/g, ' ')).toBe(subject)
    },
  )

  it('leaves a subject unchanged when it can be folded', () => {
    const subject = `${'x'.repeat(880)} ${'y'.repeat(117)}`
    expect(encodeSubject(subject)).toBe(subject)
  })

  it('returns no line break or null character', () => {
    fc.assert(
      fc.property(texts, (subject) => {
        expect(encodeSubject(subject)).not.toMatch(/[\r\n\0]/)
      }),
      parameters,
    )
  })
})

describe('encodeMailbox', () => {
  it('returns the same result as nodemailer, unless a reader would show a different name', () => {
    fc.assert(
      fc.property(names, addresses, (name, address) => {
        fc.pre(!isDecodedByReaders(name))
        expect(encodeMailbox({ name, address })).toBe(MimeNode.encodeHeaderValue('To', { name, address }))
      }),
      parameters,
    )
  })

  it.each([
    ['', 'ada@example.com', 'ada@example.com'],
    ['Ada L', "o'neil+x=1@mail-1.example", "Ada L <o'neil+x=1@mail-1.example>"],
    ['Ada, L', 'ada@localhost', '"Ada, L" <ada@localhost>'],
    ['', 'a b@example.com', '<"a b"@example.com>'],
    ['', 'ada@EXAMPLE.com', 'ada@example.com'],
    ['', 'ada@1.2.3', 'ada@1.2.0.3'],
    ['=?x?Q?a?=', 'ada@EXAMPLE.com', '=?UTF-8?Q?=3D=3Fx=3FQ=3Fa=3F=3D?= <ada@example.com>'],
    ['=?', 'a b@example.com', '=?UTF-8?Q?=3D=3F?= <"a b"@example.com>'],
  ])('encodes name %j and address %j as %s', (name, address, expected) => {
    expect(encodeMailbox({ name, address })).toBe(expected)
  })

  it('returns no line break or null character', () => {
    fc.assert(
      fc.property(names, addresses, (name, address) => {
        expect(encodeMailbox({ name, address })).not.toMatch(/[\r\n\0]/)
      }),
      parameters,
    )
  })
})
