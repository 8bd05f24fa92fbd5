import { setTimeout as sleep } from 'node:timers/promises'
import { builtInProviders, defineProvider } from '@flowpost/delivery'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { z } from 'zod'
import { onDatabase } from './support/direct-database.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

const encryption = { FLOWPOST_ENCRYPTION_KEY: `k1:${Buffer.alloc(32, 1).toString('base64')}` }
const smtpSettings = { host: 'smtp.example.com', user: 'billing', from: 'Billing <billing@example.com>' }
const mailgunSettings = { domain: 'mg.example.com', from: 'Billing <billing@example.com>' }

/** A provider whose secrets are all optional. */
const compass = defineProvider({
  id: 'compass',
  kind: 'chat',
  limits: {},
  parseTarget: (address) => ({ ok: true, target: address, key: address }),
  settings: z.strictObject({}),
  secrets: z.strictObject({ north: z.string(), east: z.string(), south: z.string(), west: z.string() }).partial(),
  secretDestination: {},
  compose: ({ target }) => ({ headers: [], raw: '', envelope: { to: target } }),
  send: async () => ({ providerMessageId: null, response: '' }),
  check: async () => [],
})

let server: TestServer
let projectCount = 0

const createProject = async (): Promise<string> => {
  projectCount += 1
  const { json } = await server.request('POST', '/v1/settings/projects', { json: { name: `project ${projectCount}` } })
  return json.id
}
const pathOf = (projectId: string, sourceType: string) => `/v1/settings/projects/${projectId}/integrations/${sourceType}`
const put = (projectId: string, sourceType: string, json: unknown, headers: Record<string, string> = {}) =>
  server.request('PUT', pathOf(projectId, sourceType), { json, headers })

beforeAll(async () => {
  server = await startTestServer({ env: encryption, providers: [...builtInProviders, compass] })
})
afterAll(() => server[Symbol.asyncDispose]())

describe('a PUT of an integration', () => {
  it('creates the integration and returns 200 with its settings and without its secrets', async () => {
    const project = await createProject()
    const response = await put(project, 'smtp', { settings: smtpSettings, secrets: { password: 'correct horse' } })

    expect(response.status, response.text).toBe(200)
    expect(response.json).toEqual({
      source_type: 'smtp',
      settings: smtpSettings,
      secrets: { password: { set: true } },
      inbound: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    })
    expect(response.json.created_at).toBe(response.json.updated_at)
    const read = await server.request('GET', pathOf(project, 'smtp'))
    expect(read.json).toEqual(response.json)
    expect(read.headers.get('etag')).toBe(response.headers.get('etag'))
    expect(response.text + read.text).not.toContain('correct horse')
  })

  it('replaces all settings, preserves omitted secrets and removes secrets that are null', async () => {
    const project = await createProject()
    const first = await put(project, 'smtp', { settings: smtpSettings, secrets: { password: 'one' } })
    const { host, user } = smtpSettings
    const second = await put(project, 'smtp', { settings: { host, user, from: 'b@example.com', reply_to: 'c@example.com' } })
    const third = await put(project, 'smtp', { settings: { host: 'mail.example.com', from: 'b@example.com' }, secrets: { password: null } })

    expect(second.json).toMatchObject({
      settings: { host, user, from: 'b@example.com', reply_to: 'c@example.com' },
      secrets: { password: { set: true } },
    })
    expect(third.json.settings).not.toHaveProperty('user')
    expect(second.json.created_at).toBe(first.json.created_at)
    expect(third.status).toBe(200)
    expect(third.json.secrets).toEqual({})
  })

  it.each([
    ['smtp', smtpSettings, { ...smtpSettings, host: 'mail.example.net' }, { password: 'one' }, 'password'],
    ['smtp', smtpSettings, { ...smtpSettings, port: 2525 }, { password: 'one' }, 'password'],
    ['smtp', smtpSettings, { ...smtpSettings, security: 'tls' }, { password: 'one' }, 'password'],
    ['smtp', smtpSettings, { ...smtpSettings, user: 'other' }, { password: 'one' }, 'password'],
    ['mailgun', mailgunSettings, { ...mailgunSettings, domain: 'other.example.com' }, { api_key: 'one' }, 'api_key'],
    ['mailgun', mailgunSettings, { ...mailgunSettings, region: 'eu' }, { api_key: 'one' }, 'api_key'],
  ])('requires the secret of %s again when its destination changes: %j to %j', async (sourceType, before, after, secrets, name) => {
    const project = await createProject()
    const first = await put(project, sourceType, { settings: before, secrets })
    const changed = await put(project, sourceType, { settings: after })

    expect([first.status, changed.status]).toEqual([200, 422])
    expect(changed.json.errors).toEqual([
      {
        in: 'body',
        pointer: `/secrets/${name}`,
        code: 'required',
        message: 'This secret was set for another server or account. Provide it again.',
      },
    ])
    expect((await server.request('GET', pathOf(project, sourceType))).json).toEqual(first.json)
    expect((await put(project, sourceType, { settings: after, secrets })).status).toBe(200)
  })

  it('requires the signing secrets of a webhook again when its URLs change', async () => {
    const project = await createProject()
    const signing_secret = `whsec_${'A'.repeat(32)}`
    const urls = { ops: 'https://hooks.example.com/1' }
    await put(project, 'webhook', { settings: {}, secrets: { urls, signing_secret, previous_signing_secret: signing_secret } })
    const changed = await put(project, 'webhook', { settings: {}, secrets: { urls: { ops: 'https://elsewhere.example.com' } } })
    const rotated = await put(project, 'webhook', { settings: {}, secrets: { signing_secret, previous_signing_secret: null } })

    expect(changed.status).toBe(422)
    expect(changed.json.errors.map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`).sort()).toEqual([
      '/secrets/previous_signing_secret required',
      '/secrets/signing_secret required',
    ])
    expect(rotated.status).toBe(200)
  })

  it('changes the entity tag even if only a secret differs', async () => {
    const project = await createProject()
    const tags = new Set<string | null>()
    for (const token of ['xoxb-1', 'xoxb-2', 'xoxb-3'])
      tags.add((await put(project, 'slack', { settings: {}, secrets: { token } })).headers.get('etag'))
    expect(tags.size).toBe(3)
  })

  it('merges the secrets of concurrent first writes', async () => {
    const names = ['north', 'east', 'south', 'west']
    for (let round = 0; round < 5; round += 1) {
      const project = await createProject()
      const responses = await Promise.all(
        names.map((name) => put(project, 'compass', { settings: {}, secrets: { [name]: `secret of ${name}` } })),
      )
      expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200])
      const { json } = await server.request('GET', pathOf(project, 'compass'))
      expect(Object.keys(json.secrets).sort()).toEqual([...names].sort())
    }
  })

  it('returns 412 when If-Match names another version, or the integration does not exist', async () => {
    const project = await createProject()
    const none = await put(project, 'slack', { settings: {}, secrets: { token: 'xoxb-1' } }, { 'If-Match': '*' })
    const first = await put(project, 'slack', { settings: {}, secrets: { token: 'xoxb-1' } })
    const etag = first.headers.get('etag') ?? ''
    const fresh = await put(project, 'slack', { settings: {}, secrets: { token: 'xoxb-2' } }, { 'If-Match': etag })
    const stale = await put(project, 'slack', { settings: {}, secrets: { token: 'xoxb-3' } }, { 'If-Match': etag })
    const staleDelete = await server.request('DELETE', pathOf(project, 'slack'), { headers: { 'If-Match': etag } })

    expect([none.status, fresh.status, stale.status, staleDelete.status]).toEqual([412, 200, 412, 412])
    expect(stale.json.code).toBe('etag_mismatch')
  })

  it.runIf(inject('postgres'))('returns 412 when the inbound address is rotated while the request waits', async () => {
    const project = await createProject()
    const { headers } = await put(project, 'mailgun', { settings: mailgunSettings, secrets: { api_key: 'k' } })
    const putting = await onDatabase(server.database, async (query) => {
      await query('begin')
      await query(`update integrations set inbound_rotated_at = now(), inbound_hash = '\\x01' where source_type = 'mailgun'`)
      const response = put(project, 'mailgun', { settings: mailgunSettings }, { 'If-Match': headers.get('etag') ?? '' })
      await sleep(300)
      await query('commit')
      return { response }
    })

    expect((await putting.response).status).toBe(412)
  })
})

describe('a GET of integrations', () => {
  it('returns 304 until the integration changes', async () => {
    const project = await createProject()
    const { headers } = await put(project, 'slack', { settings: {}, secrets: { token: 'xoxb-1' } })
    const etag = headers.get('etag') ?? ''
    const same = await server.request('GET', pathOf(project, 'slack'), { headers: { 'If-None-Match': etag } })
    await put(project, 'slack', { settings: {}, secrets: { token: 'xoxb-2' } })
    const changed = await server.request('GET', pathOf(project, 'slack'), { headers: { 'If-None-Match': etag } })
    expect([same.status, changed.status]).toEqual([304, 200])
  })

  it('returns the list in pages, oldest first', async () => {
    const project = await createProject()
    await put(project, 'slack', { settings: {}, secrets: { token: 'xoxb-1' } })
    await put(project, 'smtp', { settings: smtpSettings })
    await put(project, 'mailgun', { settings: { domain: 'mg.example.com', from: 'b@example.com' }, secrets: { api_key: 'key-1' } })
    const base = `/v1/settings/projects/${project}/integrations`
    const first = await server.request('GET', `${base}?limit=2`)
    const second = await server.request('GET', `${base}?limit=2&cursor=${first.json.next_cursor}`)

    expect(first.json.data.map((integration: { source_type: string }) => integration.source_type)).toEqual(['slack', 'smtp'])
    expect(second.json.data.map((integration: { source_type: string }) => integration.source_type)).toEqual(['mailgun'])
    expect(second.json.next_cursor).toBeNull()
    const otherProject = await createProject()
    expect(
      (await server.request('GET', `/v1/settings/projects/${otherProject}/integrations?cursor=${first.json.next_cursor}`)).status,
    ).toBe(400)
  })

  it('returns 404 after the integration or its project was deleted', async () => {
    const project = await createProject()
    await put(project, 'slack', { settings: {}, secrets: { token: 'xoxb-1' } })
    const deleted = await server.request('DELETE', pathOf(project, 'slack'))
    const again = await server.request('DELETE', pathOf(project, 'slack'))
    await put(project, 'slack', { settings: {}, secrets: { token: 'xoxb-1' } })
    const deletedProject = await server.request('DELETE', `/v1/settings/projects/${project}`)
    const read = await server.request('GET', pathOf(project, 'slack'))
    expect([deleted.status, again.status, deletedProject.status, read.status]).toEqual([204, 404, 204, 404])
  })
})
