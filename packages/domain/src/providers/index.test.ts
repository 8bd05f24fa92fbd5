import { describe, expect, test } from 'vitest'
import { builtInDescriptions } from './index.ts'

const describedAs = (id: string) => {
  const found = builtInDescriptions.find((each) => each.id === id)
  if (!found) throw new Error(id)
  return found
}
const takes = (id: string, settings: unknown, secrets: unknown) =>
  describedAs(id).settings.safeParse(settings).success && describedAs(id).secrets.safeParse(secrets).success

describe('the credentials of a provider', () => {
  test.each([
    ['mailgun', { domain: 'mg.example.com', from: 'Ada <ada@example.com>' }, { api_key: 'key' }],
    ['smtp', { host: 'mail.example.com', from: 'ada@example.com' }, {}],
    ['smtp', { host: '127.0.0.1', security: 'none', from: 'ada@localhost' }, { password: 'x' }],
    ['slack', {}, { token: 'xoxb-1' }],
    ['discord', {}, { urls: { ops: 'https://discord.com/api/webhooks/1/abc' } }],
    ['teams', {}, { urls: { ops: 'https://prod-1.westeurope.logic.azure.com/workflows/1?sig=x' } }],
    ['webhook', {}, { urls: { ops: 'https://example.com/hook' }, signing_secret: `whsec_${'A'.repeat(32)}` }],
  ])('are taken for %s', (id, settings, secrets) => expect(takes(id, settings, secrets)).toBe(true))

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
  ])('are refused for %s %#', (id, settings, secrets) => expect(takes(id, settings, secrets)).toBe(false))
})

test('a connection that is not encrypted is told together with the other faults', () => {
  const faults = (settings: unknown) =>
    describedAs('smtp')
      .settings.safeParse(settings)
      .error?.issues.map(({ path }) => path.join('.'))
  expect(faults({ host: 'mail.example.com', security: 'none', from: 'nobody', colour: 'red' })).toEqual(['from', '', 'security'])
  expect(faults({ host: 'not a host', security: 'none', from: 'ada@example.com' })).toEqual(['host'])
  expect(faults(null)).toEqual([''])
})

test('a target that names a stored URL is a name, and never the URL', () => {
  const { parseTarget } = describedAs('webhook')
  expect(parseTarget('ops-alerts')).toEqual({ ok: true, target: 'ops-alerts', key: 'ops-alerts' })
  expect(parseTarget('https://example.com')).toMatchObject({ ok: false, message: expect.stringContaining('A URL is a secret') as string })
  expect(parseTarget('Ops')).toMatchObject({ ok: false })
})

test('values of chat messages lose their markup', () => {
  expect(describedAs('discord').escape?.('*hi* @all https://a_b.example/c')).toBe('\\*hi\\* \\@all https://a_b.example/c')
  expect(describedAs('teams').escape?.('*hi*\n- a\n1. b')).toBe('\\*hi\\*\n\\- a\n\\1. b')
  expect(describedAs('webhook').escape?.('*hi*')).toBe('*hi*')
})
