import { parseMailbox, smtpChannel } from '@flowpost/domain'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatMailbox, needsSmtpUtf8, wireAddress } from './mailbox.ts'

describe('a mailbox', () => {
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
