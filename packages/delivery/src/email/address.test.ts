import { domainToASCII } from 'node:url'
import { parseMailbox, smtpChannel } from '@flowpost/domain'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatMailbox, isAsciiDomain, parseSender, requiresSmtpUtf8, toAsciiAddress } from './address.ts'

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
  })

  it('leaves only the local part to require SMTPUTF8', () => {
    expect(requiresSmtpUtf8('ada@exämple.com')).toBe(false)
    expect(requiresSmtpUtf8('zoë@example.com')).toBe(true)
  })

  it('returns nothing that could end an SMTP command for any accepted target', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.emailAddress(),
          fc.string({ unit: 'binary' }),
          fc.tuple(fc.string(), fc.domain()).map(([a, b]) => `${a}@${b}`),
        ),
        (text) => {
          const result = smtpChannel.parseTarget(text)
          if (result.ok) expect(toAsciiAddress(result.target)).not.toMatch(/[\s<>\p{Cc}]/u)
        },
      ),
    )
  })
})

const labels = fc.oneof(
  fc.stringMatching(/^[a-z0-9-]{1,8}$/),
  fc.stringMatching(/^(?:0x)?[0-9a-f]{1,4}$/),
  fc.constantFrom('xn--a', 'xn--exmple-cua', 'xn-a', 'a--b', '', 'A', '-a', 'a-', 'a_b', 'exämple', 'ß', '%41', '0X1', '\u00ad', 'ａ'),
  fc.constantFrom(' ', '\t', '\r\n', '\0', '\u007f', '@', '/', ':', '#', '[', '"', 'x'.repeat(63), 'x'.repeat(64), 'x'.repeat(300)),
)
const domains = fc.oneof(
  fc.array(labels, { maxLength: 5 }).map((parts) => parts.join('.')),
  fc.domain(),
  fc.ipV4Extended(),
  fc.string({ maxLength: 12 }),
)

describe('isAsciiDomain', () => {
  it('implies that domainToASCII returns the domain unchanged', () => {
    fc.assert(
      fc.property(domains, (domain) => {
        if (isAsciiDomain(domain)) expect(domainToASCII(domain)).toBe(domain)
      }),
      { numRuns: 5000 },
    )
  })

  it.each(['example.com', 'localhost', 'mail-1.a.b-c-d.example', '3com.example', '1.2.x3'])('returns true for %s', (domain) => {
    expect(isAsciiDomain(domain)).toBe(true)
  })

  it.each([
    ...['', '.', 'example.com.', '.example', 'a..b', 'Example.com', 'xn--exmple-cua.com', 'exämple.com', 'a_b.example'],
    ...['1', '1.2.3', '0x7f', '0x', 'a.1', 'a.0x7f', 'a.1.', '127.0.0.1', '[127.0.0.1]', '-a.example', 'a-.example', 'a.b\n', 'a b', 'a\0'],
  ])('returns false for %j', (domain) => {
    expect(isAsciiDomain(domain)).toBe(false)
  })

  it('does not change the result of toAsciiAddress', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 8 }), fc.constantFrom('@', ''), domains, (local, at, domain) => {
        const address = `${local}${at}${domain}`
        const last = address.lastIndexOf('@')
        const host = address.slice(last + 1)
        fc.pre(!host.startsWith('['))
        expect(toAsciiAddress(address)).toBe(`${address.slice(0, last)}@${domainToASCII(host) || host}`)
      }),
      { numRuns: 2000 },
    )
  })
})

describe('parseSender', () => {
  it('returns the same frozen mailbox each time', () => {
    for (const text of ['ada@example.com', 'Ada <ada@example.com>', '"Ada, L" <ada@exämple.com>', 'ada@example.com']) {
      expect(parseSender(text)).toEqual(parseMailbox(text))
      expect(parseSender(text)).toBe(parseSender(text))
      expect(Object.isFrozen(parseSender(text))).toBe(true)
    }
  })

  it('rejects an invalid sender each time', () => {
    for (const _ of [1, 2]) expect(() => parseSender('Ada\r\nBcc: eve@example.com <a@example.com>')).toThrow('not a mailbox')
  })

  it('evicts a sender after 1,000 others', () => {
    const first = parseSender('first@example.com')
    for (let index = 0; index < 1000; index += 1) parseSender(`${index}@example.com`)
    expect(parseSender('first@example.com')).not.toBe(first)
    expect(parseSender('first@example.com')).toEqual(first)
  })
})
