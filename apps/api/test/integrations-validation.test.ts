import { defineProvider } from '@flowpost/delivery'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { startTestServer, type TestServer } from './support/test-server.ts'

const encryption = { FLOWPOST_ENCRYPTION_KEY: `k1:${Buffer.alloc(32, 1).toString('base64')}` }

/** A provider with free-form settings, two required secrets and an error message that contains a secret. */
const pager = defineProvider({
  id: 'pager',
  kind: 'chat',
  limits: {},
  parseTarget: (address) => ({ ok: true, target: address, key: address }),
  settings: z.strictObject({ labels: z.record(z.string(), z.string()).optional(), level: z.number().int().min(1).max(5).optional() }),
  secrets: z.strictObject({
    user: z.string().min(3),
    pin: z.string().refine((pin) => /^\d+$/.test(pin), { error: (issue) => `The pin ${String(issue.input)} is not a number.` }),
    hint: z.string().optional(),
  }),
  secretDestination: {},
  compose: ({ content, target }) => ({ headers: [], text: content.text, raw: content.text, envelope: { to: target } }),
  send: async () => ({ providerMessageId: null, response: 'ok' }),
  check: async () => [],
})

let server: TestServer
let project: string

const put = (sourceType: string, request: { json?: unknown; body?: string; headers?: Record<string, string> }) =>
  server.request('PUT', `/v1/settings/projects/${project}/integrations/${sourceType}`, request)

const issuesOf = (response: { json: { errors: { pointer: string; code: string }[] } }) =>
  response.json.errors.map(({ pointer, code }) => `${pointer} ${code}`).sort()

beforeAll(async () => {
  const { builtInProviders } = await import('@flowpost/delivery')
  server = await startTestServer({ env: encryption, providers: [...builtInProviders, pager] })
  project = (await server.request('POST', '/v1/settings/projects', { json: { name: 'validation' } })).json.id
})
afterAll(() => server[Symbol.asyncDispose]())

describe('a PUT of an integration', () => {
  it('returns all issues in the settings, the secrets and the body together', async () => {
    const response = await put('smtp', {
      json: {
        settings: { host: 'not a host', port: 70_000, from: 'nobody', colour: 'red', reply_to: 'x@example.com' },
        secrets: { password: 5, pasword: 'typo', token: null },
        note: 'x',
      },
    })
    expect(response.status).toBe(422)
    expect(response.json.code).toBe('validation_failed')
    expect(issuesOf(response)).toEqual([
      '/note unknown_field',
      '/secrets/password invalid_type',
      '/secrets/pasword unknown_field',
      '/secrets/token unknown_field',
      '/settings/colour unknown_field',
      '/settings/from invalid_value',
      '/settings/host invalid_value',
      '/settings/port too_big',
    ])
  })

  it('reports missing TLS together with the other issues', async () => {
    const response = await put('smtp', { json: { settings: { host: 'mail.example.com', security: 'none', from: 'nobody' } } })
    expect(issuesOf(response)).toEqual(['/settings/from invalid_value', '/settings/security invalid_value'])
  })

  it('rejects missing required settings and secrets', async () => {
    expect(issuesOf(await put('smtp', { json: { settings: {} } }))).toEqual(['/settings/from required', '/settings/host required'])
    expect(issuesOf(await put('slack', { json: { settings: {} } }))).toEqual(['/secrets/token required'])
    expect(issuesOf(await put('slack', { json: {} }))).toEqual(['/secrets/token required', '/settings required'])
    expect(issuesOf(await put('pager', { json: { settings: {}, secrets: {} } }))).toEqual([
      '/secrets/pin required',
      '/secrets/user required',
    ])
  })

  it('rejects the removal of a required secret', async () => {
    expect((await put('slack', { json: { settings: {}, secrets: { token: 'xoxb-1' } } })).status).toBe(200)
    expect(issuesOf(await put('slack', { json: { settings: {}, secrets: { token: null } } }))).toEqual(['/secrets/token required'])
  })

  it('rejects text that cannot be stored, in values and in field names', async () => {
    const response = await put('pager', {
      body: '{"settings":{"labels":{"a\\u0000":"x","b":"\\ud800"}},"secrets":{"user":"a\\u0000bc","pin":"1"}}',
      headers: { 'Content-Type': 'application/json' },
    })
    expect(response.status).toBe(422)
    expect(issuesOf(response)).toEqual([
      '/secrets/user invalid_text',
      '/settings/labels/a\u0000 invalid_text',
      '/settings/labels/b invalid_text',
    ])
  })

  it('rejects settings, secrets and bodies that are not objects', async () => {
    expect(issuesOf(await put('pager', { json: { settings: [], secrets: 'x' } }))).toEqual([
      '/secrets invalid_type',
      '/secrets/pin required',
      '/secrets/user required',
      '/settings invalid_type',
    ])
    expect((await put('pager', { json: [] })).status).toBe(422)
    expect((await put('pager', { body: 'null', headers: { 'Content-Type': 'application/json' } })).status).toBe(422)
  })

  it('never returns a stored secret, even if an error message of the provider contains it', async () => {
    const secrets = { user: 'abc', pin: '471108154711' }
    expect((await put('pager', { json: { settings: {}, secrets } })).status).toBe(200)
    const response = await put('pager', { json: { settings: { level: 9 } } })
    expect(issuesOf(response)).toEqual(['/settings/level too_big'])
    expect(response.text).not.toContain('471108154711')
  })
})

describe('an integration of an unknown provider', () => {
  it.each(['telegram', 'SMTP', 'smtp%00', '..%2Fsmtp', '%F0%9F%98%80', 'constructor'])('returns 404 for every method: %s', async (name) => {
    const path = `/v1/settings/projects/${project}/integrations/${name}`
    const responses = await Promise.all([
      server.request('GET', path),
      server.request('PUT', path, { json: { settings: {} } }),
      server.request('DELETE', path),
    ])
    expect(responses.map(({ status, json }) => `${status} ${json.code}`)).toEqual(Array(3).fill('404 not_found'))
  })
})
