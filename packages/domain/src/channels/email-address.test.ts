import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toAsciiDomain } from './domain-name.ts'
import { parseEmailAddress } from './email-address.ts'

const isAddress = (address: string) => parseEmailAddress(address).ok

describe('accepts', () => {
  test.each([
    'ops@example.com',
    'first.last+tag@mail.example.co.uk',
    "!#$%&'*+-/=?^_`{|}~@example.com",
    'a@1and1.example',
    'a@xn--mnchen-3ya.example',
    'a@a--b.example',
    'jürgen@example.com',
    '用户@例子.世界',
    'अजय@डाटा.भारत',
    'a@bücher.example',
    'a@straße.example',
    'a@col·lecció.example',
    '😀@example.com',
    `${'a'.repeat(64)}@example.com`,
    `a@${'b'.repeat(63)}.example`,
  ])('%s', (address) => {
    expect(parseEmailAddress(address)).toMatchObject({ ok: true, target: address })
  })

  test('an address of 254 octets, but not of 255', () => {
    const local = 'a'.repeat(64)
    const label = 'b'.repeat(61)
    expect(isAddress(`${local}@${label}.${label}.${label}.cc`)).toBe(true)
    expect(`${local}@${label}.${label}.${label}.cc`).toHaveLength(253)
    expect(isAddress(`${local}@${label}.${label}.${label}.ccc`)).toBe(true)
    expect(isAddress(`${local}@${label}.${label}.${label}.cccc`)).toBe(false)
  })
})

describe('rejects', () => {
  test.each([
    ['an empty string', ''],
    ['no @', 'example.com'],
    ['nothing before @', '@example.com'],
    ['nothing after @', 'a@'],
    ['two @', 'a@b@example.com'],
    ['a display name', 'Ops <ops@example.com>'],
    ['angle brackets', '<ops@example.com>'],
    ['a comment', 'ops(team)@example.com'],
    ['a list', 'a@example.com,b@example.com'],
    ['a list with semicolons', 'a@example.com;b@example.com'],
    ['a Greek question mark, which NFC turns into a semicolon', 'a\u037eb@example.com'],
    ['a quoted local part', '"ops"@example.com'],
    ['a scheme', 'mailto:ops@example.com'],
    ['a backslash', 'a\\b@example.com'],
    ['a space at the start', ' ops@example.com'],
    ['a space at the end', 'ops@example.com '],
    ['a space in the middle', 'o ps@example.com'],
    ['an injected header', 'ops@example.com\r\nBcc: x@example.com'],
    ['a line break at the end', 'ops@example.com\n'],
    ['U+0000', 'ops\u0000@example.com'],
    ['a control character', 'ops\u0085@example.com'],
    ['a no-break space', 'ops\u00a0@example.com'],
    ['a zero-width space', 'ops\u200b@example.com'],
    ['a bidirectional override', 'ops\u202e@example.com'],
    ['a line separator', 'ops@example.com\u2028'],
    ['a lone surrogate', 'ops\ud800@example.com'],
    ['a noncharacter', 'ops\ufffe@example.com'],
    ['a full-width @ before the real one', 'a＠b@example.com'],
    ['a dot at the start', '.ops@example.com'],
    ['a dot at the end of the local part', 'ops.@example.com'],
    ['two dots', 'o..ps@example.com'],
    ['an ellipsis, which NFKC turns into three dots', 'o…ps@example.com'],
    ['a domain without a dot', 'ops@localhost'],
    ['an empty label', 'ops@example..com'],
    ['a dot at the end of the domain', 'ops@example.com.'],
    ['a dot before the domain', 'ops@.example.com'],
    ['a hyphen at the start of a label', 'ops@-example.com'],
    ['a hyphen at the end of a label', 'ops@example-.com'],
    ['a hyphen at the end of an internationalized label', 'ops@bücher-.com'],
    ['a combining mark at the start of a label', 'ops@\u0301a.com'],
    ['an underscore in the domain', 'ops@ex_ample.com'],
    ['a symbol in the domain', 'ops@i❤.ws'],
    ['full-width letters in the domain', 'ops@ｅxample.com'],
    ['a full-width dot', 'ops@example．com'],
    ['an IPv4 address', 'ops@192.0.2.1'],
    ['an IPv4 address in brackets', 'ops@[192.0.2.1]'],
    ['an IPv6 address in brackets', 'ops@[IPv6:2001:db8::1]'],
    ['a top-level domain of digits', 'ops@example.123'],
    ['a local part of 65 octets', `${'a'.repeat(65)}@example.com`],
    ['a local part of 33 two-byte letters', `${'é'.repeat(33)}@example.com`],
    ['a label of 64 octets', `a@${'b'.repeat(64)}.example`],
    ['an internationalized label of 60 characters', `a@${'ü'.repeat(60)}.de`],
  ])('%s', (_, address) => {
    const result = parseEmailAddress(address)
    expect(result).toEqual({ ok: false, message: expect.stringMatching(/^[A-Z][^\r\n]{10,}\.$/) })
  })
})

describe('the key', () => {
  test('contains the domain in lower case and the local part unchanged', () => {
    expect(parseEmailAddress('Ops@Mail.EXAMPLE.com')).toEqual({ ok: true, target: 'Ops@Mail.EXAMPLE.com', key: 'Ops@mail.example.com' })
  })

  test('is the same for composed and decomposed letters, and so is the target', () => {
    expect(parseEmailAddress('ju\u0308rgen@BU\u0308CHER.example')).toEqual({
      ok: true,
      target: 'jürgen@BÜCHER.example',
      key: 'jürgen@xn--bcher-kva.example',
    })
  })

  test('is the same for a domain in Unicode and in ASCII', () => {
    for (const domain of ['bücher.example', 'xn--bcher-kva.example', 'XN--Bcher-KVA.example'])
      expect(parseEmailAddress(`bob@${domain}`)).toMatchObject({ target: `bob@${domain}`, key: 'bob@xn--bcher-kva.example' })
  })

  test('does not depend on the position of a sigma', () => {
    expect(parseEmailAddress('a@example.ΟΔΟΣ')).toMatchObject({ key: `a@${toAsciiDomain('example.οδοσ')}` })
  })
})

const atom = fc.string({ unit: fc.constantFrom(...'abzAZ019+-_é用'), minLength: 1, maxLength: 8 })
const label = fc.string({ unit: fc.constantFrom(...'abzAZ019éÜ用'), minLength: 1, maxLength: 8 })
const address = fc
  .tuple(
    fc.array(atom, { minLength: 1, maxLength: 3 }),
    fc.array(label, { minLength: 1, maxLength: 3 }),
    fc.constantFrom('com', 'ÖRG', 'de'),
  )
  .map(([locals, labels, top]) => `${locals.join('.')}@${labels.join('.')}.${top}`)

test('accepts every well-formed address, and accepts its target and key as addresses', () => {
  fc.assert(
    fc.property(address, (text) => {
      const result = parseEmailAddress(text)
      if (!result.ok) throw new Error(`${text}: ${result.message}`)
      expect(parseEmailAddress(result.target)).toEqual(result)
      expect(parseEmailAddress(result.key)).toEqual({ ok: true, target: result.key, key: result.key })
      const upperDomain = text.replace(/@.*/, (domain) => domain.toUpperCase())
      expect(parseEmailAddress(upperDomain)).toMatchObject({ key: result.key })
    }),
  )
})

test('rejects everything that could break out of a header, a command or a list', () => {
  const piece = fc.constantFrom(
    'a',
    '@',
    '.com',
    '.',
    ' ',
    '\r',
    '\n',
    '\t',
    ',',
    ';',
    '<',
    '>',
    '"',
    '(',
    ':',
    '\u2028',
    '\u0000',
    '\ud800',
    '\u037e',
  )
  fc.assert(
    fc.property(
      fc.oneof(
        fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')),
        fc.string({ unit: 'binary' }),
      ),
      (text) => {
        const result = parseEmailAddress(text)
        if (!result.ok) return
        for (const form of [result.target, result.key]) {
          expect(form).not.toMatch(/[\s\p{C}<>()[\]\\,;:"]/u)
          expect(form.split('@')).toHaveLength(2)
        }
      },
    ),
    { numRuns: 2_000, examples: [['a@a.com'], ['a@a.com\n']] },
  )
})

test('parses 100,000 hostile characters quickly', () => {
  for (const text of ['a', '.', 'a.', '@', '-', 'ü', 'a-']) {
    expect(isAddress(text.repeat(100_000 / text.length))).toBe(false)
    expect(isAddress(`a@${text.repeat(100_000 / text.length)}!`)).toBe(false)
  }
})

test('rejects a long run of combining marks without normalizing it', () => {
  const startedAt = performance.now()
  expect(isAddress(`a${'\u0301'.repeat(200_000)}${'\u0316'.repeat(200_000)}@example.com`)).toBe(false)
  // Normalizing the address would take minutes.
  expect(performance.now() - startedAt).toBeLessThan(5_000)
})
