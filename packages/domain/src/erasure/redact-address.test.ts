import { describe, expect, it } from 'vitest'
import { createAddressRedactor } from './redact-address.ts'

const { needles, redact, isIn, redactJson } = createAddressRedactor('bob@example.com', 'erased:1')

describe('a redactor', () => {
  it.each([
    ['Write to Bob@EXAMPLE.com.', 'Write to erased:1.'],
    ['<bob@example.com>, "bob@example.com"', '<erased:1>, "erased:1"'],
    ['mailto:bob@example.com?to=bob%40example.com', 'mailto:erased:1?to=erased:1'],
    ['_bob@example.com_ and -bob@example.com-', '_erased:1_ and -erased:1-'],
  ])('replaces the address in %j', (text, expected) => {
    expect(redact(text)).toBe(expected)
    expect(needles.some((needle) => text.toLowerCase().includes(needle))).toBe(true)
  })

  it.each(['jim.bob@example.com', 'jimbob@example.com', 'bob@example.com.au', 'bob@example.company', 'a+bob@example.com'])(
    "leaves another person's address unchanged: %s",
    (text) => expect(redact(text)).toBe(text),
  )

  it('finds the address within an identifier', () => {
    expect(['welcome-BOB@example.com', 'bob%40example.com', 'jim@example.com'].map(isIn)).toEqual([true, true, false])
  })

  it('replaces the address in every string of a value, and keeps everything else', () => {
    const value = { a: ['bob@example.com', 1, null], b: { c: 'To bob@example.com', d: true } }
    expect(redactJson(value)).toEqual({ a: ['erased:1', 1, null], b: { c: 'To erased:1', d: true } })
  })

  it.each(["o'brien+a&b@example.com", 'jä@ö.example', 'C024BE91L', 'a{2}^$|*@example.com'])('replaces %s', (address) => {
    const own = createAddressRedactor(address, 'erased:1')
    const html = address.replaceAll('&', '&amp;').replaceAll("'", '&#39;')
    for (const text of [`to ${address}!`, `to ${html}!`]) {
      expect(own.redact(text)).toBe('to erased:1!')
      expect(own.needles.some((needle) => text.toLowerCase().includes(needle))).toBe(true)
    }
  })

  it("leaves a stored URL's name unchanged, because it may be a common word", () => {
    const named = createAddressRedactor('ops', 'erased:1')
    expect([named.needles, named.redact('ops'), named.redactJson(['ops'])]).toEqual([[], 'ops', ['ops']])
  })
})
