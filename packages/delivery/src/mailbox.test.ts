import { domainToASCII } from 'node:url'
import { parseMailbox, smtpDescription } from '@flowpost/domain'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatMailbox, isPlainDomain, needsSmtpUtf8, wireAddress } from './mailbox.ts'

describe('a mailbox', () => {
  it('reads back what it writes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), (text) => {
        const name = text.replace(/[\p{C}\p{Zl}\p{Zp}<>]/gu, '').trim()
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
          const result = smtpDescription.parseTarget(text)
          if (result.ok) expect(wireAddress(result.target)).not.toMatch(/[\s<>\p{Cc}]/u)
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

describe('a plain domain', () => {
  it('is one that its ASCII form does not change', () => {
    fc.assert(
      fc.property(domains, (domain) => {
        if (isPlainDomain(domain)) expect(domainToASCII(domain)).toBe(domain)
      }),
      { numRuns: 5000 },
    )
  })

  it.each(['example.com', 'localhost', 'mail-1.a.b-c-d.example', '3com.example', '1.2.x3'])('may be %s', (domain) => {
    expect(isPlainDomain(domain)).toBe(true)
  })

  it.each([
    ...['', '.', 'example.com.', '.example', 'a..b', 'Example.com', 'xn--exmple-cua.com', 'exämple.com', 'a_b.example'],
    ...['1', '1.2.3', '0x7f', '0x', 'a.1', 'a.0x7f', 'a.1.', '127.0.0.1', '[127.0.0.1]', '-a.example', 'a-.example', 'a.b\n', 'a b', 'a\0'],
  ])('is not %j', (domain) => {
    expect(isPlainDomain(domain)).toBe(false)
  })

  it('makes no difference to an address on the wire', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 8 }), fc.constantFrom('@', ''), domains, (local, at, domain) => {
        const address = `${local}${at}${domain}`
        const last = address.lastIndexOf('@')
        const host = address.slice(last + 1)
        fc.pre(!host.startsWith('['))
        expect(wireAddress(address)).toBe(`${address.slice(0, last)}@${domainToASCII(host) || host}`)
      }),
      { numRuns: 2000 },
    )
  })
})
