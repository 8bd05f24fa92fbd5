import { domainToASCII, domainToUnicode } from 'node:url'
import { keySpellings, parseMailbox, smtpDescription } from '@flowpost/domain'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatMailbox, parseSender, requiresSmtpUtf8, toAsciiAddress } from './address.ts'

describe('formatMailbox', () => {
  it('is the inverse of parseMailbox', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), (text) => {
        const name = text.replace(/[\p{C}\p{Zl}\p{Zp}<>]/gu, '').trim()
        expect(parseMailbox(formatMailbox({ name, address: 'ada@example.com' }))).toEqual({ name, address: 'ada@example.com' })
      }),
    )
  })
})

describe('toAsciiAddress', () => {
  it('converts the domain but not the local part', () => {
    expect(toAsciiAddress('Ada@Exämple.com')).toBe('Ada@xn--exmple-cua.com')
    expect(toAsciiAddress('zoë@exämple.com')).toBe('zoë@xn--exmple-cua.com')
    expect(toAsciiAddress('ada@[192.0.2.1]')).toBe('ada@[192.0.2.1]')
  })

  it('returns the same spellings as Node.js', () => {
    const label = fc.string({ unit: fc.constantFrom(...'abz09-éüßΣς用あ한אаЖ\u0301'), minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(label, label, (one, two) => {
        const expected = domainToASCII(`${one}.${two}.example`)
        if (!/^[a-z0-9.-]+$/.test(expected)) return
        expect(toAsciiAddress(`bob@${one}.${two}.example`)).toBe(`bob@${expected}`)
        expect(keySpellings(`bob@${expected}`).at(-1)).toBe(`bob@${domainToUnicode(expected)}`)
      }),
    )
  })

  it('requiresSmtpUtf8 returns true only for an internationalized local part', () => {
    expect(requiresSmtpUtf8('ada@exämple.com')).toBe(false)
    expect(requiresSmtpUtf8('zoë@example.com')).toBe(true)
  })

  it('returns no character that could end an SMTP command, for any accepted target', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.emailAddress(),
          fc.string({ unit: 'binary' }),
          fc.tuple(fc.string(), fc.domain()).map(([a, b]) => `${a}@${b}`),
        ),
        (text) => {
          const result = smtpDescription.parseTarget(text)
          if (result.ok) expect(toAsciiAddress(result.target)).not.toMatch(/[\s<>\p{Cc}]/u)
        },
      ),
    )
  })
})

describe('parseSender', () => {
  it('rejects text that is not a mailbox', () => {
    expect(() => parseSender('Ada\r\nBcc: eve@example.com <a@example.com>')).toThrow('not a mailbox')
  })
})
