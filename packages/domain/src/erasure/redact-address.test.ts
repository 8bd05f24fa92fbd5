import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cpuTimeOf, maxCpuMs } from '../../test/cpu-time.ts'
import { toAsciiDomain } from '../channels/domain-name.ts'
import { builtInDescriptions } from '../channels/index.ts'
import { createAddressRedactor } from './redact-address.ts'

const { searchPattern, redact, isIn, redactJson } = createAddressRedactor('bob@example.com', 'erased:1')

/** Returns whether the pattern matches the text, both as plain text and within JSON, as in the database. */
const isPreselected = (pattern: string | undefined, text: string) =>
  [text, JSON.stringify({ text })].every((stored) => pattern !== undefined && new RegExp(pattern, 'isu').test(stored))

/** The `escape` function of each built-in chat provider, and one for Telegram's MarkdownV2, as a custom provider would have. */
const escapes: [string, (value: string) => string][] = [
  ...builtInDescriptions.flatMap(({ id, escape: escapeValue }): [string, (value: string) => string][] =>
    escapeValue ? [[id, escapeValue]] : [],
  ),
  ['telegram', (value) => value.replace(/[_*[\]()~`>#+\-=|{}.!\\]/g, '\\$&')],
]

describe('a redactor', () => {
  it.each([
    ['Write to Bob@EXAMPLE.com.', 'Write to erased:1.'],
    ['<bob@example.com>, "bob@example.com"', '<erased:1>, "erased:1"'],
    ['mailto:bob@example.com?to=bob%40example.com', 'mailto:erased:1?to=erased:1'],
    ['_bob@example.com_ and -bob@example.com-', '_erased:1_ and -erased:1-'],
    ['%20bob%40example.com%20', '%20erased:1%20'],
    [
      encodeURIComponent('\u00a0“bob@example.com”、bob@example.com'),
      `${encodeURIComponent('\u00a0“_')}%E2%80%9D%E3%80%81_`.replaceAll('_', 'erased:1'),
    ],
    ['\\u00a0bob@example.com \\u201cbob@example.com\\u201d', '\\u00a0erased:1 \\u201cerased:1\\u201d'],
    [encodeURIComponent('<bob@example.com>'), encodeURIComponent('<_>').replace('_', 'erased:1')],
    ['{"to":"\\u003cbob@example.com\\u003e\\nbob\\u0040example.com"}', '{"to":"\\u003cerased:1\\u003e\\nerased:1"}'],
    ['bob&#64;example&#x2E;com', 'erased:1'],
    [JSON.stringify('New: bob\\@example.com'), '"New: erased:1"'],
  ])('replaces the address in %j', (text, expected) => {
    expect(redact(text)).toBe(expected)
    expect(isPreselected(searchPattern, text)).toBe(true)
  })

  const others = [
    'jim.bob@example.com',
    'jimbob@example.com',
    'ébob@example.com',
    '李bob@example.com',
    'jim_bob@example.com',
    'a+bob@example.com',
  ]

  it.each([...others, 'bob@example.com.au', 'bob@example.com-x.de', 'bob@example.company'])(
    "leaves another person's address unchanged: %s",
    (address) => {
      const texts = [address, encodeURIComponent(address), ...escapes.map(([, escapeValue]) => escapeValue(address))]
      expect(texts.map(redact)).toEqual(texts)
    },
  )

  it('finds the address within an identifier', () => {
    expect(['welcome-BOB@example.com', 'bob%40example.com', 'jim@example.com'].map(isIn)).toEqual([true, true, false])
  })

  it('replaces the address in every string of a value, and keeps everything else', () => {
    const value = { a: ['bob@example.com', 1, null], b: { c: 'To bob@example.com', d: true } }
    expect(redactJson(value)).toEqual({ a: ['erased:1', 1, null], b: { c: 'To erased:1', d: true } })
  })

  it.each(['bob@x.io', '😀@x.io', "o'brien@x.io", 'bob_smith+a@example.com'])('makes no message longer that mentions %s', (address) => {
    const own = createAddressRedactor(address, `erased:${'1'.repeat(36)}`)
    const encoded = address.replaceAll("'", '&#39;').replace('@', '\\@')
    for (const text of [address, encoded]) {
      const length = Array.from(text).length
      const message = { text: `To ${text}!`, html: `<p>${text}</p>` }
      const replacement = `erased:${'1'.repeat(36)}`.slice(0, length)
      expect(own.redactMessage(message)).toEqual({ text: `To ${replacement}!`, html: `<p>${replacement}</p>` })
    }
  })

  it('replaces property names that contain the address, each with a different name', () => {
    const value = { 'bob@example.com': 'a', 'erased-1': 'b', 'to BOB@example.com': { 'bob@example.com': 'bob@example.com' }, other: 1 }
    const names = { 'erased-1-2': 'a', 'erased-1': 'b', 'erased-1-3': { 'erased-1': 'erased:1' }, other: 1 }
    expect(redactJson(value)).toEqual(names)
  })

  const addresses = [
    'bob@example.com',
    "o'brien+a&b@example.com",
    'jä@ö.example',
    'ä@ö.рф',
    'C024BE91L',
    'a{2}^$|*@example.com',
    '_bob_#~`smith-x@a-b.example.com',
    '+491701234567',
  ]

  it.each(addresses)('replaces %s, also if it is encoded', (address) => {
    const own = createAddressRedactor(address, 'erased:1')
    const html = address.replaceAll('&', '&amp;').replaceAll("'", '&#39;')
    for (const text of [`to ${address}!`, `to ${html}!`]) {
      expect(own.redact(text)).toBe('to erased:1!')
      expect(isPreselected(own.searchPattern, text)).toBe(true)
    }
    const inUrl = `x=%20${address.replace(/[!-/:-@[-`{-~]/g, (character) => `%${character.charCodeAt(0).toString(16)}`)}`
    expect(own.redact(inUrl)).toBe('x=%20erased:1')
    expect(isPreselected(own.searchPattern, inUrl)).toBe(true)
  })

  it.each([
    ['josé@example.com', 'jos%C3%A9@example.com'],
    ['josé@example.com', 'JOS%c3%89%40EXAMPLE.COM'],
    ['josé@example.com', 'jos&#233;@example.com'],
    ['josé@example.com', 'JOS&#xC9;@example.com'],
    ['josé@example.com', 'jos\\u00e9@example.com'],
    ['josé@example.com', 'JOSE\u0301@example.com'],
    ['josé@example.com', 'jose%CC%81@example.com'],
    ['한@ö.рф', encodeURIComponent('한@ö.рф'.normalize('NFD'))],
    ['😀@x.io', '%F0%9F%98%80@x.io'],
    ['😀@x.io', '\\uD83D\\uDE00@x.io'],
    ['😀@x.io', '&#x1f600;@x.io'],
  ])('replaces the internationalized address %s in %j', (address, encoded) => {
    const own = createAddressRedactor(address, 'erased:1')
    expect(own.redact(`To ${encoded}.`)).toBe('To erased:1.')
    expect(isPreselected(own.searchPattern, `To ${encoded}.`)).toBe(true)
  })

  it.each(['bob@xn--bcher-kva.xn--fiq228c', 'bob@bücher.中文'])('replaces both spellings of the domain of %s', (address) => {
    const own = createAddressRedactor(address, 'erased:1')
    for (const domain of [
      'xn--bcher-kva.xn--fiq228c',
      'bücher.中文',
      'XN--BCHER-KVA.中文',
      'b%C3%BCcher%2Exn--fiq228c',
      'bu\u0308cher.中文',
    ]) {
      const text = `To bob@${domain}.`
      expect(own.redact(text)).toBe('To erased:1.')
      expect(isPreselected(own.searchPattern, text)).toBe(true)
      expect(own.isIn(`welcome-bob@${domain}`)).toBe(true)
    }
    const others = 'jim.bob@bücher.中文, bob@bücher.xn--fiq228c-x.de, bob@bucher.中文'
    expect(own.redact(others)).toBe(others)
  })

  it.each(['é', '\\u00e9', '%C3%A9'])('leaves the address of another person unchanged whose address begins with %j', (letter) => {
    const text = `To ${letter}bob@example.com`
    expect(createAddressRedactor('bob@example.com', 'erased:1').redact(text)).toBe(text)
  })

  describe.each(escapes)('of a message that is escaped for %s', (_, escapeValue) => {
    it.each(addresses)('replaces %s', (address) => {
      const own = createAddressRedactor(address, 'erased:1')
      const text = escapeValue(`To ${address}:\n${address}`)
      expect(own.redact(text)).toBe('To erased:1:\nerased:1')
      expect(isPreselected(own.searchPattern, text)).toBe(true)
      expect(own.redact(escapeValue(`https://x.example/?to=${address}&a`))).toContain('=erased:1&a')
    })
  })

  const specials = [...'!"#$%&\'*+-./=?@\\^_`{|}~ ä😀']
  const encodings = (character: string): string[] => {
    if (/[a-z0-9]/.test(character)) return [character, character.toUpperCase()]
    if (character === ' ') return [character]
    if (character > '~') return [character, character.normalize('NFD'), encodeURIComponent(character), `&#${character.codePointAt(0)};`]
    const code = character.charCodeAt(0)
    const hex = code.toString(16)
    return [...['', '\\', '\\\\'].map((prefix) => prefix + character), `%${hex}`, `\\u00${hex}`, `&#${code};`, `&#X${hex};`]
  }

  it('replaces only texts that its search pattern finds', () => {
    const character = fc
      .constantFrom(...'bob1', ...specials)
      .chain((each) => fc.tuple(fc.constant(each), fc.constantFrom(...encodings(each))))
    fc.assert(
      fc.property(fc.array(character, { minLength: 1, maxLength: 12 }), (characters) => {
        const own = createAddressRedactor(`${characters.map(([each]) => each).join('')}@x1`, 'erased:1')
        const text = `To ${characters.map(([, encoded]) => encoded).join('')}@x1`
        expect(own.redact(text)).toBe('To erased:1')
        expect(isPreselected(own.searchPattern, text)).toBe(true)
      }),
      { numRuns: 200 },
    )
  })

  it.each([
    ['info@acme.io', 'Read the information at https://acme.io/orders.'],
    ['bob@example.com', 'bob: see example.com'],
    ['ä@ö.рф', 'ä or ö'],
  ])('does not select texts that contain only the parts of %s', (address, text) =>
    expect(isPreselected(createAddressRedactor(address, 'erased:1').searchPattern, text)).toBe(false),
  )

  it('selects texts with a very long address by its beginning', () => {
    const long = `a@${'-'.repeat(1_997)}b`
    const { searchPattern = '', redact } = createAddressRedactor(long, 'erased:1')
    expect(searchPattern.length).toBeLessThan(15_000)
    expect(isPreselected(searchPattern, `To ${long}.`)).toBe(true)
    expect(redact(`To ${long}.`)).toBe('To erased:1.')
  })

  it('selects texts with a very long internationalized domain by their beginning', () => {
    const labels = Array.from({ length: 4 }, () => `${'ä-'.repeat(15)}b`)
    const { searchPattern = '', redact } = createAddressRedactor(`${'a'.repeat(64)}@${labels.join('.')}`, 'erased:1')
    expect(searchPattern.length).toBeLessThan(15_000)
    for (const domain of [labels.join('.'), toAsciiDomain(labels.join('.'))]) {
      const text = `To ${'a'.repeat(64)}@${domain}.`
      expect(isPreselected(searchPattern, text)).toBe(true)
      expect(redact(text)).toBe('To erased:1.')
    }
  })

  const length = 100_000

  it.each(['bob', '\\', 'bob\\', '%20', '_', '\\_', 'bob@example.com', 'bob\\@example.', '&#64;', '&#45;', 'ä', 'ſ', '%C3%A4', 'a\u0308'])(
    'redacts a text with many repetitions of %j within the time limit',
    (part) => {
      const text = part.repeat(length / part.length)
      for (const address of [
        'bob@example.com',
        '_bob_@example.com',
        'ää한@example.com',
        'bob@xn--bcher-kva.xn--fiq228c',
        `bob@${'ä'.repeat(30)}.${'ä'.repeat(30)}`,
        ...['ä', 'ſ', '-', '\\', '\\@'].map((one) => `${one.repeat(30)}@x.io`),
      ]) {
        const own = createAddressRedactor(address, 'erased:1')
        expect(cpuTimeOf(() => own.redact(text))).toBeLessThan(maxCpuMs)
      }
    },
  )

  it("leaves a stored URL's name unchanged, because it may be a common word", () => {
    const named = createAddressRedactor('ops', 'erased:1')
    expect([named.searchPattern, named.redact('ops'), named.redactMessage('ops'), named.redactJson(['ops', { ops: 1 }])]).toEqual([
      undefined,
      'ops',
      'ops',
      ['ops', { ops: 1 }],
    ])
  })
})
