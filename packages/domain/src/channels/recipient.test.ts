import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Channel } from './channel.ts'
import { toAsciiDomain, toUnicodeDomain } from './domain-name.ts'
import { builtInDescriptions } from './index.ts'
import { keySpellings, parseRecipient, recipientKey } from './recipient.ts'

const channelsOf = (list: readonly Channel[]) => ({
  get: (id: string) => list.find((channel) => channel.id === id),
  ids: list.map(({ id }) => id),
})
const channels = channelsOf(builtInDescriptions)

describe('recipientKey', () => {
  it('ignores the case of an email address, even if the provider is no longer registered', () => {
    for (const sourceType of ['smtp', 'mailgun', 'pigeon'])
      expect(recipientKey(channels, sourceType, 'Bob@EXAMPLE.com')).toBe('bob@example.com')
  })

  it('is the same for both spellings of an internationalized domain', () => {
    const label = fc.string({ unit: fc.constantFrom(...'abZ09éÜ用Σאж'), minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(label, label, fc.constantFrom('smtp', 'mailgun', 'pigeon'), (one, two, sourceType) => {
        const domain = `${one}.${two}.example`
        const spellings = [domain, toAsciiDomain(domain), toAsciiDomain(domain).toUpperCase(), toUnicodeDomain(domain)]
        const [key = '', ...others] = new Set(spellings.map((spelling) => recipientKey(channels, sourceType, `Bob@${spelling}`)))
        expect(others).toEqual([])
        expect(recipientKey(channels, sourceType, key)).toBe(key)
      }),
      { examples: [['bücher', 'xn--fiq228c', 'smtp']] },
    )
  })

  it('keeps the case of other targets', () => {
    expect(recipientKey(channels, 'slack', 'C024BE91L')).toBe('C024BE91L')
    expect(recipientKey(channels, 'pigeon', 'Loft')).toBe('Loft')
  })
})

describe('keySpellings', () => {
  it('returns the key, and an internationalized domain in ASCII and in Unicode', () => {
    const [ascii, unicode] = ['bob@xn--bcher-kva.example', 'bob@bücher.example']
    expect([keySpellings(ascii), keySpellings(unicode)]).toEqual([
      [ascii, unicode],
      [unicode, ascii],
    ])
    const others = ['bob@example.com', '@Team/Secret', 'bücher-1', '']
    expect(others.map(keySpellings)).toEqual(others.map((key) => [key]))
  })
})

describe('parseRecipient', () => {
  it('accepts a bare address for every provider that recognizes it', () => {
    const expected = { ok: true, sourceType: undefined, target: 'Bob@Example.com', key: 'bob@example.com' }
    expect(parseRecipient(channels, ' Bob@Example.com ')).toEqual(expected)
    expect(parseRecipient(channels, 'ops')).toEqual({ ok: true, sourceType: undefined, target: 'ops', key: 'ops' })
  })

  it('accepts an address with a provider name', () => {
    expect(parseRecipient(channels, 'slack:C024BE91L')).toEqual({ ok: true, sourceType: 'slack', target: 'C024BE91L', key: 'C024BE91L' })
  })

  it('rejects an address that the named provider rejects, or that every provider rejects', () => {
    expect(parseRecipient(channels, 'smtp:ops')).toEqual({ ok: false, message: expect.stringContaining('"@"') })
    expect(parseRecipient(channels, 'pigeon:Loft!')).toEqual({ ok: false, message: expect.stringContaining('"smtp"') })
  })

  it('rejects an address that means different recipients to different providers', () => {
    const custom = (id: string, key: string): Channel => ({
      id,
      kind: 'chat',
      limits: {},
      parseTarget: (target) => ({ ok: true, target, key }),
    })
    const result = parseRecipient(channelsOf([custom('one', '1'), custom('two', '2')]), 'a')
    expect(result).toEqual({ ok: false, message: expect.stringContaining('"one:…"') })
  })
})
