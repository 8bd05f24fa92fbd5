import fc from 'fast-check'
import MimeNode from 'nodemailer/lib/mime-node'
import { describe, expect, it } from 'vitest'
import { encodeMailbox, encodeSubject } from './email-headers.ts'

const tricky = fc.constantFrom(
  ...['=', '?', '=?', '?=', '=?utf-8?Q?a?=', '=?utf-8?Q?a b?=', '=?x', '"', "'", '\\', ',', ';', ':', '(', ')', '<', '>', '@', '[', ']'],
  ...['.', '..', '_', '-', '--', '%41', ' ', '  ', '\t', '\r', '\n', '\r\nBcc: eve@example.com', '\0', '\u001b', '\u007f', '\u0080'],
  ...['A', '1', '0x7f', 'xn--', 'é', '語', '🚀', '\ud800', '\u00a0', '\u2028', 'x'.repeat(66), 'x'.repeat(67), 'x'.repeat(80)],
)
/** A plain text, and half of the time something tricky within it or at its ends. */
const almost = (plain: fc.Arbitrary<string>) =>
  fc.tuple(plain, fc.oneof(fc.constant(''), tricky), fc.nat(20)).map(([text, piece, place]) => {
    const position = place % (text.length + 1)
    return text.slice(0, position) + piece + text.slice(position)
  })
const texts = fc.oneof(
  almost(fc.stringMatching(/^[ -~]{0,20}$/)),
  fc.array(fc.oneof(tricky, fc.constant(' Invoice 42')), { maxLength: 6 }).map((pieces) => pieces.join('')),
)
const names = fc.oneof(fc.constantFrom('', ' ', '  '), almost(fc.stringMatching(/^\w{1,6} {0,2}\w{0,6}$/)), texts)
const locals = fc.stringMatching(/^[\w!#$%&'*+/=?^`{|}~-]{1,6}(?:\.[\w!#$%&'*+/=?^`{|}~-]{1,6}){0,2}$/)
const domains = fc.oneof(
  fc.stringMatching(/^[a-z0-9-]{1,6}(?:\.[a-z0-9-]{1,6}){0,3}$/),
  fc.constantFrom('example.com', '1.2.3', 'localhost'),
)
const addresses = fc.oneof(
  fc.tuple(almost(locals), domains).map(([local, domain]) => `${local}@${domain}`),
  fc.tuple(locals, almost(domains)).map(([local, domain]) => `${local}@${domain}`),
  texts,
)
const runs = { numRuns: 2000 }

describe('a subject in its header', () => {
  it('is what nodemailer makes of it', () => {
    fc.assert(
      fc.property(texts, (subject) => {
        expect(encodeSubject(subject)).toBe(MimeNode.encodeHeaderValue('Subject', subject))
      }),
      runs,
    )
  })

  it.each(['"Ready"', '=?utf-8?Q?a b?=', 'x =?utf-8?X?x?=', 'a\u007fb', 'a\u0000b', 'Zoë'])(
    'is encoded where it must be: %j',
    (subject) => {
      expect(encodeSubject(subject)).toMatch(/^=\?UTF-8\?[QB]\?[!->@-~]+\?=$/)
    },
  )

  it.each(['x'.repeat(998), `  ${'x'.repeat(996)}`, `${'x'.repeat(996)}  `, 'y'.repeat(990)])(
    'is encoded when one line cannot hold its longest word: %#',
    (subject) => {
      const encoded = encodeSubject(subject)
      expect(encoded).toMatch(/^(?:=\?UTF-8\?Q\?[!->@-~]{1,40}\?=(?: |$))+$/)
      const words = encoded.split(' ').map((word) => word.slice('=?UTF-8?Q?'.length, -'?='.length))
      expect(words.join('').replace(/_|=20/g, ' ')).toBe(subject)
    },
  )

  it('is left as it is when its lines can be folded', () => {
    const subject = `${'x'.repeat(880)} ${'y'.repeat(117)}`
    expect(encodeSubject(subject)).toBe(subject)
  })

  it('has no character that could end the header', () => {
    fc.assert(
      fc.property(texts, (subject) => {
        expect(encodeSubject(subject)).not.toMatch(/[\r\n\0]/)
      }),
      runs,
    )
  })
})

describe('a mailbox in its header', () => {
  it('is what nodemailer makes of it', () => {
    fc.assert(
      fc.property(names, addresses, (name, written) => {
        expect(encodeMailbox({ name, address: written })).toBe(MimeNode.encodeHeaderValue('To', { name, address: written }))
      }),
      runs,
    )
  })

  it.each([
    ['', 'ada@example.com', 'ada@example.com'],
    ['Ada L', "o'neil+x=1@mail-1.example", "Ada L <o'neil+x=1@mail-1.example>"],
    ['Ada, L', 'ada@localhost', '"Ada, L" <ada@localhost>'],
    ['', 'a b@example.com', '<"a b"@example.com>'],
    ['', 'ada@EXAMPLE.com', 'ada@example.com'],
    ['', 'ada@1.2.3', 'ada@1.2.0.3'],
  ])('of name %j and address %j is %s', (name, written, expected) => {
    expect(encodeMailbox({ name, address: written })).toBe(expected)
  })

  it('has no character that could end the header', () => {
    fc.assert(
      fc.property(names, addresses, (name, written) => {
        expect(encodeMailbox({ name, address: written })).not.toMatch(/[\r\n\0]/)
      }),
      runs,
    )
  })
})
