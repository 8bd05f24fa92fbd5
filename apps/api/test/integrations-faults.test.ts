import { defineProvider } from '@flowpost/delivery'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { startTestServer, type TestServer } from './support/test-server.ts'

const encryption = { FLOWPOST_ENCRYPTION_KEY: `k1:${Buffer.alloc(32, 1).toString('base64')}` }

/** A provider with every kind of field: free-form settings, two required secrets, and a message that would repeat a secret. */
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

const faultsOf = (answer: { json: { errors: { pointer: string; code: string }[] } }) =>
  answer.json.errors.map(({ pointer, code }) => `${pointer} ${code}`).sort()

beforeAll(async () => {
  const { builtInProviders } = await import('@flowpost/delivery')
  server = await startTestServer({ env: encryption, providers: [...builtInProviders, pager] })
  project = (await server.request('POST', '/v1/settings/projects', { json: { name: 'faults' } })).json.id
})
afterAll(() => server[Symbol.asyncDispose]())

describe('422', () => {
  it('tells every fault of settings, secrets and the body itself at once', async () => {
    const answer = await put('smtp', {
      json: {
        settings: { host: 'not a host', port: 70_000, from: 'nobody', colour: 'red', reply_to: 'x@example.com' },
        secrets: { password: 5, pasword: 'typo', token: null },
        note: 'x',
      },
    })
    expect(answer.status).toBe(422)
    expect(answer.json.code).toBe('validation_failed')
    expect(faultsOf(answer)).toEqual([
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

  it('tells that TLS is missing together with the other faults', async () => {
    const answer = await put('smtp', { json: { settings: { host: 'mail.example.com', security: 'none', from: 'nobody' } } })
    expect(faultsOf(answer)).toEqual(['/settings/from invalid_value', '/settings/security invalid_value'])
  })

  it('names each required field that is missing, of the secrets after the merge', async () => {
    expect(faultsOf(await put('smtp', { json: { settings: {} } }))).toEqual(['/settings/from required', '/settings/host required'])
    expect(faultsOf(await put('slack', { json: { settings: {} } }))).toEqual(['/secrets/token required'])
    expect(faultsOf(await put('slack', { json: {} }))).toEqual(['/secrets/token required', '/settings required'])
    expect(faultsOf(await put('pager', { json: { settings: {}, secrets: {} } }))).toEqual([
      '/secrets/pin required',
      '/secrets/user required',
    ])
  })

  it('does not let a required secret be removed', async () => {
    expect((await put('slack', { json: { settings: {}, secrets: { token: 'xoxb-1' } } })).status).toBe(200)
    expect(faultsOf(await put('slack', { json: { settings: {}, secrets: { token: null } } }))).toEqual(['/secrets/token required'])
  })

  it('refuses text that cannot be stored wherever it stands, names of fields included', async () => {
    const answer = await put('pager', {
      body: '{"settings":{"labels":{"a\\u0000":"x","b":"\\ud800"}},"secrets":{"user":"a\\u0000bc","pin":"1"}}',
      headers: { 'Content-Type': 'application/json' },
    })
    expect(answer.status).toBe(422)
    expect(faultsOf(answer)).toEqual([
      '/secrets/user invalid_text',
      '/settings/labels/a\u0000 invalid_text',
      '/settings/labels/b invalid_text',
    ])
  })

  it('refuses parts that are no objects', async () => {
    expect(faultsOf(await put('pager', { json: { settings: [], secrets: 'x' } }))).toEqual([
      '/secrets invalid_type',
      '/secrets/pin required',
      '/secrets/user required',
      '/settings invalid_type',
    ])
    expect((await put('pager', { json: [] })).status).toBe(422)
    expect((await put('pager', { body: 'null', headers: { 'Content-Type': 'application/json' } })).status).toBe(422)
  })

  it('never repeats a stored secret, not even when the provider itself would', async () => {
    const secrets = { user: 'abc', pin: '4711' }
    expect((await put('pager', { json: { settings: {}, secrets } })).status).toBe(200)
    const answer = await put('pager', { json: { settings: { level: 9 } } })
    expect(faultsOf(answer)).toEqual(['/settings/level too_big'])
    expect(answer.text).not.toContain('4711')
  })
})

describe('404', () => {
  it.each(['telegram', 'SMTP', 'smtp%00', '..%2Fsmtp', '%F0%9F%98%80', 'constructor'])(
    'is the answer to the provider %s, in every verb',
    async (name) => {
      const path = `/v1/settings/projects/${project}/integrations/${name}`
      const answers = await Promise.all([
        server.request('GET', path),
        server.request('PUT', path, { json: { settings: {} } }),
        server.request('DELETE', path),
      ])
      expect(answers.map(({ status, json }) => `${status} ${json.code}`)).toEqual(Array(3).fill('404 not_found'))
    },
  )
})
