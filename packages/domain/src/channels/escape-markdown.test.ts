import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cpuTimeOf, maxCpuMs } from '../../test/cpu-time.ts'
import { escapeDiscordMarkdown, escapeTeamsMarkdown } from './escape-markdown.ts'

describe('for Discord', () => {
  test.each([
    ['*bold* _it_ ~~x~~ `c` ||s||', '\\*bold\\* \\_it\\_ \\~\\~x\\~\\~ \\`c\\` \\|\\|s\\|\\|'],
    ['<@123> @everyone #general', '\\<\\@123\\> \\@everyone \\#general'],
    ['a\\b', 'a\\\\b'],
    ['# title\n> quote\n-# small', '\\# title\n\\> quote\n-\\# small'],
    ['- a\n  - b\n* c\n1. d\n  20. e', '\\- a\n  \\- b\n\\* c\n1\\. d\n  20\\. e'],
    ['+ a\n-b\n1.b\n1.5 - 2. x', '+ a\n-b\n1.b\n1.5 - 2. x'],
  ])('escapes %j', (value, escaped) => expect(escapeDiscordMarkdown(value)).toBe(escaped))

  test.each([
    ['see https://example.com/a_b_c?d=e_f#g now_', 'see https://example.com/a_b_c?d=e_f#g now\\_'],
    ['https://www.npmjs.com/package/@flowpost/client', 'https://www.npmjs.com/package/%40flowpost/client'],
    ['https://en.wikipedia.org/wiki/Foo_(bar)', 'https://en.wikipedia.org/wiki/Foo_%28bar%29'],
    ['https://x.example/?mail=bob@example.com&a=1', 'https://x.example/?mail=bob%40example.com&a=1'],
    ['https://x.example/~joe/*?a[]=b|c`d', 'https://x.example/%7Ejoe/%2A?a%5B%5D=b%7Cc%60d'],
    ['HTTPS://X.example/a_b_c', 'https://X.example/a_b_c'],
    ['https://x.example/?t=abc_', 'https://x.example/?t=abc_'],
    ['https://d111.cloudfront.net/a?Signature=ab~c__', 'https://d111.cloudfront.net/a?Signature=ab%7Ec__'],
    ['see https://x.example/a_ now', 'see https://x.example/a_ now'],
    ['https://x.example/a*, https://x.example/~', 'https://x.example/a%2A, https://x.example/%7E'],
    ['<https://x.example/a_>', '<https://x.example/a_>'],
    ['Read https://x.example/a, then "http://y.example".', 'Read https://x.example/a, then "http://y.example".'],
  ])('keeps the link in %j before a space', (value, escaped) => expect(escapeDiscordMarkdown(`${value} now`)).toBe(`${escaped} now`))

  test.each([
    ['(see https://x.example/a)', '\\(see <https://x.example/a>\\)'],
    ['Foo (https://x.example/Foo_(bar)).', 'Foo \\(<https://x.example/Foo_%28bar%29>\\).'],
    ['**https://x.example/a** `http://y.example`', '\\*\\*<https://x.example/a>\\*\\* \\`<http://y.example>\\`'],
    ['_https://x.example/a_', '\\_<https://x.example/a>\\_'],
    ['**https://x.example/?t=abc_** ~~http://y.example~~', '\\*\\*<https://x.example/?t=abc_>\\*\\* \\~\\~<http://y.example>\\~\\~'],
    ['(https://x.example/a_)', '\\(<https://x.example/a_>\\)'],
    ['<https://x.example/a>', '<https://x.example/a>'],
    ['[safe](https://evil.example)', '\\[safe\\]\\(<https://evil.example>\\)'],
    ['[https://x.example](https://evil.example)', '\\[<https://x.example>\\]\\(<https://evil.example>\\)'],
    ['https://x.example/?t=abc_', '<https://x.example/?t=abc_>'],
    ['https://x.example/a\nsee "HTTP://y.example/@b".', 'https://x.example/a\nsee "<http://y.example/%40b>".'],
  ])('separates the link in %j from the text around it', (value, escaped) => expect(escapeDiscordMarkdown(value)).toBe(escaped))
})

test.each([
  ['*bold* _it_ ~~x~~ `c` [t](https://x.example)', '\\*bold\\* \\_it\\_ \\~\\~x\\~\\~ \\`c\\` \\[t\\](https://x.example)'],
  ['- a\n  + b\n1. c\n  20) d\n-\n3.', '\\- a\n  \\+ b\n1\\. c\n  20\\) d\n\\-\n3\\.'],
  ['-a\n1.a\n1)a\na - 1. b) c', '-a\n1.a\n1)a\na - 1. b) c'],
  ['---\n -- --\n-- \t-\na\n--\n--- a\na ---', '\\---\n \\-- --\n\\-- \t-\na\n--\n--- a\na ---'],
  [
    'Due {{DATE(2030-01-01T00:00:00Z, SHORT)}} {{TIME(2030-01-01T00:00:00Z)}} {{x}} DATE()',
    'Due {\\{DATE(2030-01-01T00:00:00Z, SHORT)}} {\\{TIME(2030-01-01T00:00:00Z)}} {{x}} DATE()',
  ],
  [
    'Error\n    at a_b\n\tc\n  \t - d\n   e  \tf\n     \ng',
    'Error\n\u00a0\u00a0\u00a0\u00a0at a\\_b\n\u00a0\u00a0\u00a0\u00a0c\n\u00a0\u00a0\u00a0\u00a0\u00a0\u00a0\u00a0\\- d\n   e  \tf\n     \ng',
  ],
])('escapes %j for Teams', (value, escaped) => expect(escapeTeamsMarkdown(value)).toBe(escaped))

const anyText = fc
  .array(fc.constantFrom('https://', 'http://x', 'HTTPS://a', '    ', '{DATE(', ...' \n\t\\*_~`|<>#[]{}()@-+.,!1a%'), { maxLength: 20 })
  .map((parts) => parts.join(''))

// In Discord, a link without angle brackets extends to the next space or "<". The backslash after the value stands for the text
// of a template.
test('no link in Discord contains a backslash', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const found = `${escapeDiscordMarkdown(text)}\\*`.matchAll(/\\[^a-z0-9\s]|<https?:\/[^ >]+>|https?:\/\/[a-z0-9][^\s<]*/gi)
      const links = [...found].map(([token]) => token).filter((token) => !token.startsWith('\\'))
      expect(links.filter((token) => token.includes('\\'))).toEqual([])
    }),
    { numRuns: 1_000 },
  )
})

// `recoverMessage` removes the backslashes from a rendered value and escapes the result again to verify it.
test.each([
  ['Discord', escapeDiscordMarkdown],
  ['Teams', escapeTeamsMarkdown],
])('escaping for %s returns the same text again after the backslashes are removed', (_, escapeValue) => {
  fc.assert(
    fc.property(anyText, (text) => {
      const escaped = escapeValue(text)
      expect(escapeValue(escaped.replace(/\\(.)/gs, '$1'))).toBe(escaped)
    }),
    { numRuns: 1_000 },
  )
})

const length = 100_000

test.each([
  ' ',
  '1',
  '- ',
  '--',
  '\n1. ',
  '\n    ',
  '\t',
  '\u00a0-',
  '*',
  'https://',
  'https://a(',
  'https://a[',
  'https://a.',
  '<https://a',
  '_https://a(',
  '.',
  '(',
])('escapes many repetitions of %j within the time limit', (part) => {
  const text = part.repeat(length / part.length)
  for (const value of [text, `https://${text}`]) {
    expect(cpuTimeOf(() => escapeDiscordMarkdown(value))).toBeLessThan(maxCpuMs)
    expect(cpuTimeOf(() => escapeTeamsMarkdown(value))).toBeLessThan(maxCpuMs)
  }
})
