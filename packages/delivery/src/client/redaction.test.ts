import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRedactor, maxDetailLength } from './redaction.ts'

describe('redact', () => {
  it('removes a secret in every encoding that servers echo', () => {
    const secret = 'p@ss wörd/"1"+2'
    const redact = createRedactor({ password: secret, nested: { urls: ['https://hooks.example/T0/B1/xyz'] } })
    const echoes = [
      `bad ${secret} !`,
      `bad ${encodeURIComponent(secret)} !`,
      `bad ${new URLSearchParams({ p: secret })} !`,
      `bad ${JSON.stringify(secret)} !`,
      `bad ${Buffer.from(secret).toString('base64')} !`,
      `bad ${Buffer.from(`\0user\0${secret}`).toString('base64')} !`,
      `bad ${Buffer.from(`api:${secret}!`).toString('base64url')} !`,
      'bad https://hooks.example/T0/B1/xyz !',
    ]
    for (const echo of echoes) expect(redact(echo)).toMatch(/^bad (?:p=)?"?\[redacted\]"? !$/)
  })

  it.each([
    ['lower-case percent-encoding', 'p%2fw%23d%26x%2by'],
    ['percent-encoding of every character', '%70%2F%77%23%64%26%78%2B%79'],
    ['JSON of PHP', 'p\\/w#d&x+y'],
    ['JSON of .NET', 'p/w#d\\u0026x\\u002By'],
    ['JSON with percent-encoding', 'p%2Fw%23d\\u0026x%2by'],
  ])('removes a secret in %s', (_, echo) => {
    expect(createRedactor({ password: 'p/w#d&x+y' })(`bad\\n ${echo} !`)).toMatch(/^bad.* \[redacted\] !$/)
  })

  it('removes a secret with spaces in form encoding with lower-case digits', () => {
    expect(createRedactor({ password: 'horse battery/9' })('bad horse+battery%2f9 !')).toBe('bad [redacted] !')
  })

  it.each([
    ['a segment with lower-case digits', 'abc%2fdef0123456789abc'],
    ['a decoded segment', 'abc/def0123456789abc'],
    ['the URL with lower-case digits', 'https://hooks.example/v1/abc%2fdef0123456789abc/run?sig=a%2bb'],
    ['the decoded URL', 'https://hooks.example/v1/abc/def0123456789abc/run?sig=a+b'],
  ])('removes a URL that contains percent-encoding: %s', (_, echo) => {
    const redact = createRedactor({ url: 'https://hooks.example/v1/abc%2Fdef0123456789abc/run?sig=a%2Bb' })
    expect(redact(`bad ${echo} !`)).toBe('bad [redacted] !')
  })

  it('leaves escape sequences in other text unchanged', () => {
    const text = '{"url":"https:\\/\\/example.com\\/a%2fb","text":"1 \\u003c 2"}'
    expect(createRedactor({ token: 'xoxb-1' })(text)).toBe(text)
  })

  it('replaces the whole text when it contains a very short secret', () => {
    expect(createRedactor({ password: 'abc' })('the abc of mail')).toBe('[redacted]')
  })

  it('leaves other text unchanged', () => {
    expect(createRedactor({ token: 'xoxb-1', empty: '' })('550 5.1.1 No such user')).toBe('550 5.1.1 No such user')
  })

  it('removes a secret that contains control characters', () => {
    expect(createRedactor({ token: 'se\r\ncret' })('a se cret and a se\r\ncret')).toBe('a [redacted] and a [redacted]')
  })

  it('truncates a long text and reveals no part of a secret at the cut', () => {
    const secret = 'wJalrXUtnFEMI-K7MDENG'
    const redact = createRedactor({ secret })
    expect(redact(`${'word '.repeat(100_000)}`)).toMatch(/^(?:word )+.*…$/)
    // Each text is cut within its last secret. In the first and the third text, line breaks become one space, so fewer than
    // 1,000 characters precede that secret after redaction. In the second text, far more do.
    const fillers = ['\n'.repeat(65_526), `${secret}`.repeat(3_120).padStart(65_526, ' '), 'x'.repeat(992).padEnd(65_526, '\n')]
    for (const filler of fillers) expect(redact(`${filler}${secret} and more`)).not.toContain(secret.slice(0, 4))
  })

  it('removes the secret parts of a URL', () => {
    const [key, signature] = ['k3y-0123456789abcdef', 's1g+/0123456789abcdef']
    const redact = createRedactor({ url: `https://hooks.example/v1/${key}/run?sig=${encodeURIComponent(signature)}` })
    const encoded = encodeURIComponent(signature)
    for (const part of [key, signature, encoded, encoded.replace(/%../g, (code) => code.toLowerCase())])
      expect(redact(`bad ${part} !`)).toBe('bad [redacted] !')
  })

  it('removes a signature that is shorter than the names in the path', () => {
    const path = Array.from({ length: 8 }, (_, index) => `${index}`.padEnd(25, 'workflow')).join('/')
    const redact = createRedactor({ url: `https://hooks.example/${path}?sig=signature-0123456` })
    expect(redact('bad signature signature-0123456 !')).toBe('bad signature [redacted] !')
  })

  it('removes each of many long URLs from a long text, and reveals no part of one at the cut', () => {
    const urls = Array.from({ length: 100 }, (_, url) =>
      `https://hooks.example/${`${url}`.padStart(16, 'k')}/`.padEnd(2_000, `/${url}-segment`),
    )
    const redact = createRedactor({ urls })
    for (const url of urls) expect(redact(`bad ${url} !`)).toBe('bad [redacted] !')
    for (let length = 0; length < 70_000; length += 1_000)
      expect(redact(`${'\n'.repeat(length)}${urls[42]}${' and more'.repeat(1_000)}`)).not.toContain('hooks.example')
  })

  it('replaces control characters with spaces', () => {
    expect(createRedactor({})('a\r\nb\u0000c\u202ed\u0085e')).toBe('a b c d e')
  })

  it('returns at most 1,000 characters and no lone surrogate', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 1200 }), (text) => {
        const redacted = createRedactor({})(text.padStart(1001, '🚀'))
        expect(redacted.length).toBeLessThanOrEqual(maxDetailLength)
        expect(redacted.isWellFormed()).toBe(true)
      }),
    )
  })

  it('removes any secret from any text', () => {
    const secrets = fc
      .string({ unit: 'grapheme-composite', minLength: 4, maxLength: 40 })
      .filter((secret) => secret.trim().length >= 4 && !'[redacted]…'.includes(secret))
    fc.assert(
      fc.property(secrets, fc.string(), fc.string(), (secret, before, after) => {
        const redact = createRedactor({ secret })
        expect(redact(`${before}${secret}${after}`)).not.toContain(secret)
        const encoded = Buffer.from(`${before}${secret}${after}`).toString('base64')
        expect(Buffer.from(redact(encoded), 'base64').toString()).not.toContain(secret)
      }),
    )
  })
})
