import { smtpChannel } from '@flowpost/domain'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatMailbox, needsSmtpUtf8, parseMailbox, wireAddress } from './mailbox.ts'

describe('a mailbox', () => {
  it.each([
    ['ada@example.com', { name: '', address: 'ada@example.com' }],
    ['Ada Lovelace <ada@example.com>', { name: 'Ada Lovelace', address: 'ada@example.com' }],
    ['"Lovelace, \\"Ada\\"" <ada@example.com>', { name: 'Lovelace, "Ada"', address: 'ada@example.com' }],
    ['Zoë 🚀 <zoë@exämple.com>', { name: 'Zoë 🚀', address: 'zoë@exämple.com' }],
    ['Flowpost <flowpost@localhost>', { name: 'Flowpost', address: 'flowpost@localhost' }],
  ])('is read from %s', (text, mailbox) => {
    expect(parseMailbox(text)).toEqual(mailbox)
  })

  it.each([
    '',
    'Ada',
    '<>',
    'Ada <>',
    'a@b',
    'a@example.com, b@example.com',
    'Ada <a@example.com> <b@example.com>',
    'Ada\r\nBcc: eve@example.com <a@example.com>',
    'Ada <a@example.com\r\nBcc: eve@example.com>',
    'Ada\u0000 <a@example.com>',
    '"Ada <a@example.com>',
    'Ada "x" <a@example.com>',
    'a b@localhost',
  ])('is not read from %j', (text) => {
    expect(parseMailbox(text)).toBeNull()
  })

  it('reads back what it writes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), (text) => {
        const name = text.replace(/[\p{C}<>]/gu, '').trim()
        expect(parseMailbox(formatMailbox({ name, address: 'ada@example.com' }))).toEqual({ name, address: 'ada@example.com' })
      }),
    )
  })
})

describe('an address on the wire', () => {
  it('has its domain in ASCII and its local part as it is', () => {
    expect(wireAddress('Ada@Exämple.com')).toBe('Ada@xn--exmple-cua.com')
    expect(wireAddress('zoë@exämple.com')).toBe('zoë@xn--exmple-cua.com')
  })

  it('needs SMTPUTF8 only for its local part', () => {
    expect(needsSmtpUtf8('ada@exämple.com')).toBe(false)
    expect(needsSmtpUtf8('zoë@example.com')).toBe(true)
  })

  it('holds nothing that could end an SMTP command, whatever the channel accepts', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.emailAddress(),
          fc.string({ unit: 'binary' }),
          fc.tuple(fc.string(), fc.domain()).map(([a, b]) => `${a}@${b}`),
        ),
        (text) => {
          const result = smtpChannel.parseTarget(text)
          if (result.ok) expect(wireAddress(result.target)).not.toMatch(/[\s<>\p{Cc}]/u)
        },
      ),
    )
  })
})
