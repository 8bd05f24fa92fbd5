import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseTargetList } from './target-list.ts'

const registered = new Set(['smtp', 'mailgun', 'slack'])
const parse = (value: string) => parseTargetList(value, (id) => registered.has(id))

describe('parses', () => {
  test.each([
    ['a bare address', 'ops@example.com', [{ number: 1, address: 'ops@example.com' }]],
    ['an address with a provider', 'slack:C024BE91L', [{ number: 1, sourceType: 'slack', address: 'C024BE91L' }]],
    [
      'entries with surrounding white space',
      ' mailgun:ops@example.com ;\tC024BE91L\n',
      [
        { number: 1, sourceType: 'mailgun', address: 'ops@example.com' },
        { number: 2, address: 'C024BE91L' },
      ],
    ],
    ['only the first colon as a separator', 'slack:a:b', [{ number: 1, sourceType: 'slack', address: 'a:b' }]],
    ['an unknown provider as part of the address', 'telegram:123', [{ number: 1, address: 'telegram:123' }]],
    ['a provider in the wrong case as part of the address', 'Slack:C1', [{ number: 1, address: 'Slack:C1' }]],
    ['a provider with a space before the colon as part of the address', 'slack :C1', [{ number: 1, address: 'slack :C1' }]],
    ['a colon at the start as part of the address', ':x', [{ number: 1, address: ':x' }]],
  ])('%s', (_, value, entries) => {
    expect(parse(value)).toEqual({ entries, errors: [] })
  })

  test('an empty name as part of the address, even if every name is registered', () => {
    expect(parseTargetList(':x', () => true).entries).toEqual([{ number: 1, address: ':x' }])
  })
})

describe('rejects', () => {
  test.each([
    ['an empty target', '', [1]],
    ['only white space', ' ', [1]],
    ['an empty entry in the middle', 'a;;b', [2]],
    ['a separator at the end', 'a;', [2]],
    ['every empty entry at once', ';a; ;', [1, 3, 4]],
  ])('%s', (_, value, numbers) => {
    expect(parse(value).errors).toEqual(
      numbers.map((number) => ({
        pointer: '/target',
        code: 'invalid_target',
        message: `Entry ${number} of the target is empty. Separate entries with ";", and do not end the target with ";".`,
      })),
    )
  })

  test('a provider without an address', () => {
    expect(parse('a;slack: ').errors).toMatchObject([
      { code: 'invalid_target', message: 'Entry 2 of the target has no address after "slack:".' },
    ])
  })

  test('more than 100 entries, without checking them', () => {
    const hundred = Array.from({ length: 100 }, (_, index) => `a${index}`).join(';')
    expect(parse(hundred)).toMatchObject({ errors: [], entries: { length: 100 } })
    expect(parse(`${hundred};`)).toEqual({
      entries: [],
      errors: [{ pointer: '/target', code: 'too_long', message: 'The target has 101 entries; at most 100 are allowed.' }],
    })
  })
})

test('parses or rejects every entry, in order and trimmed', () => {
  const value = fc.string({ unit: fc.constantFrom(';', ':', ' ', 'slack', 'smtp:', 'x', '@'), maxLength: 30 })
  fc.assert(
    fc.property(value, (text) => {
      const { entries, errors } = parse(text)
      expect(entries.length + errors.length).toBe(text.split(';').length)
      for (const [index, entry] of entries.entries()) {
        expect(entry.number).toBeGreaterThan(entries[index - 1]?.number ?? 0)
        const whole = entry.sourceType === undefined ? entry.address : `${entry.sourceType}:${entry.address}`
        expect(whole).toBe(text.split(';')[entry.number - 1]?.trim())
        expect(entry.address).not.toBe('')
        expect(entry.sourceType === undefined || registered.has(entry.sourceType)).toBe(true)
      }
    }),
  )
})
