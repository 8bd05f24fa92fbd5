import { describe, expect, test } from 'vitest'
import { maxContentBytes } from '../rendering/content.ts'
import { builtInDescriptions } from './index.ts'

test('lists the six built-in providers', () => {
  expect(builtInDescriptions.map(({ id, kind }) => [id, kind])).toEqual([
    ['mailgun', 'email'],
    ['smtp', 'email'],
    ['slack', 'chat'],
    ['discord', 'chat'],
    ['teams', 'chat'],
    ['webhook', 'chat'],
  ])
})

const addresses: Readonly<Record<string, string>> = { mailgun: 'ops@example.com', smtp: 'ops@example.com', slack: 'C024BE91L' }

describe.each(builtInDescriptions.map((description) => [description.id, description] as const))('%s', (id, description) => {
  test('accepts its own addresses and rejects those of other kinds, so that an override without a source type can be routed', () => {
    const address = addresses[id] ?? 'ops-alerts'
    expect(description.parseTarget(address)).toEqual({ ok: true, target: address, key: address })
    for (const other of ['ops@example.com', 'C024BE91L', 'ops-alerts'].filter((other) => other !== address))
      expect(description.parseTarget(other).ok, other).toBe(false)
  })

  test('has an id that an override can name', () => {
    expect(id).toMatch(/^[a-z][a-z0-9_-]*$/)
  })

  test('limits the size of messages to at most maxContentBytes', () => {
    const { textCharacters, totalBytes } = description.limits
    expect(textCharacters ?? totalBytes).toBeGreaterThan(0)
    expect(totalBytes ?? 0).toBeLessThanOrEqual(maxContentBytes)
  })

  test('has an escape function if and only if it is a chat provider', () => {
    expect(description.escape !== undefined).toBe(description.kind === 'chat')
  })
})

const getDescription = (id: string) => {
  const description = builtInDescriptions.find((description) => description.id === id)
  if (!description) throw new Error(id)
  return description
}
const accepts = (id: string, settings: unknown, secrets: unknown) =>
  getDescription(id).settings.safeParse(settings).success && getDescription(id).secrets.safeParse(secrets).success

describe('credentials', () => {
  test.each([
    ['mailgun', { domain: 'mg.example.com', from: 'Ada <ada@example.com>' }, { api_key: 'key' }],
    ['smtp', { host: 'mail.example.com', from: 'ada@example.com' }, {}],
    ['smtp', { host: '127.0.0.1', security: 'none', from: 'ada@localhost' }, { password: 'x' }],
    ['slack', {}, { token: 'xoxb-1' }],
    ['discord', {}, { urls: { ops: 'https://discord.com/api/webhooks/1/abc' } }],
    ['teams', {}, { urls: { ops: 'https://prod-1.westeurope.logic.azure.com/workflows/1?sig=x' } }],
    ['webhook', {}, { urls: { ops: 'https://example.com/hook' }, signing_secret: `whsec_${'A'.repeat(32)}` }],
  ])('are valid for %s', (id, settings, secrets) => expect(accepts(id, settings, secrets)).toBe(true))

  test.each([
    ['mailgun', { domain: 'mg.example.com', from: 'nobody' }, { api_key: 'key' }],
    ['smtp', { host: 'mail.example.com', security: 'none', from: 'ada@example.com' }, {}],
    ['smtp', { host: 'mail.example.com', from: 'ada@example.com', user: 'a\r\nb' }, {}],
    ['slack', { extra: 1 }, { token: 'xoxb-1' }],
    ['discord', {}, { urls: { ops: 'https://example.com/api/webhooks/1/abc' } }],
    ['discord', {}, { urls: { ops: 'https://discord.com/api/webhooks/1/abc?wait=1' } }],
    ['teams', {}, { urls: { ops: 'http://prod-1.logic.azure.com/workflows/1' } }],
    ['webhook', {}, { urls: { 'Not a name': 'https://example.com' }, signing_secret: `whsec_${'A'.repeat(32)}` }],
    ['webhook', {}, { urls: { ops: 'https://u:p@example.com' }, signing_secret: `whsec_${'A'.repeat(32)}` }],
  ])('are invalid for %s %#', (id, settings, secrets) => expect(accepts(id, settings, secrets)).toBe(false))
})

test('reports an unencrypted connection together with other issues', () => {
  const listIssues = (settings: unknown) =>
    getDescription('smtp')
      .settings.safeParse(settings)
      .error?.issues.map(({ path }) => path.join('.'))
  expect(listIssues({ host: 'mail.example.com', security: 'none', from: 'nobody', colour: 'red' })).toEqual(['from', '', 'security'])
  expect(listIssues({ host: 'not a host', security: 'none', from: 'ada@example.com' })).toEqual(['host'])
  expect(listIssues(null)).toEqual([''])
})

test('accepts the name of a stored URL, but not the URL itself, as a target', () => {
  const { parseTarget } = getDescription('webhook')
  expect(parseTarget('ops-alerts')).toEqual({ ok: true, target: 'ops-alerts', key: 'ops-alerts' })
  expect(parseTarget('https://example.com')).toMatchObject({ ok: false, message: expect.stringContaining('A URL is a secret') as string })
  expect(parseTarget('Ops')).toMatchObject({ ok: false })
})

test('escapes markup in the values of chat messages', () => {
  expect(getDescription('discord').escape?.('*hi* @all https://a_b.example/c')).toBe('\\*hi\\* \\@all <https://a_b.example/c>')
  expect(getDescription('teams').escape?.('*hi*\n- a\n1. b')).toBe('\\*hi\\*\n\\- a\n1\\. b')
  expect(getDescription('webhook').escape?.('*hi*')).toBe('*hi*')
})
