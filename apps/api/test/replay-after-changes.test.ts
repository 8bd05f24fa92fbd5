import type { Flowpost, SettingsApply } from '@flowpost/client'
import { createFlowpostMock } from '@flowpost/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createProject } from './support/api-keys.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

let clockOffsetMs = 0
let server: TestServer
beforeAll(async () => {
  server = await startTestServer({
    clock: { now: () => new Date(Date.now() + clockOffsetMs) },
    env: { FLOWPOST_ENCRYPTION_KEY: `k1:${Buffer.alloc(32, 1).toString('base64')}` },
  })
})
afterAll(() => server[Symbol.asyncDispose]())

const post = (path: string, json: object) => server.request('POST', path, { json, headers: { 'Idempotency-Key': path } })

const documentOf = (host: string, secrets?: Readonly<Record<string, string>>): SettingsApply => ({
  project: { key: 'shop', name: 'Shop' },
  flows: [],
  integrations: [{ source_type: 'smtp', settings: { host, user: 'shop', from: 'shop@example.com' }, ...(secrets ? { secrets } : {}) }],
})

describe.each<[string, () => Flowpost]>([
  ['the server', () => server.client()],
  ['the mock', () => createFlowpostMock().client()],
])('an apply that omits a stored secret, on %s', (_, createClient) => {
  it('is replayed after the integration has changed, and rejected under a new key', async () => {
    const { settings } = createClient()
    await settings.apply(documentOf('a.example.com', { password: 'a' }))
    const first = await settings.apply(documentOf('a.example.com'), { idempotencyKey: 'apply' })
    await settings.apply(documentOf('b.example.com', { password: 'b' }))

    expect(await settings.apply(documentOf('a.example.com'), { idempotencyKey: 'apply' })).toEqual(first)
    for (const dry_run of [true, false])
      await expect(settings.apply({ ...documentOf('a.example.com'), dry_run }, { idempotencyKey: `new-${dry_run}` })).rejects.toMatchObject(
        {
          status: 422,
          errors: [{ pointer: '/integrations/0/secrets/password', code: 'required' }],
        },
      )
  })

  it('is rejected with the issues of its flows and of its integrations', async () => {
    const { settings } = createClient()
    await settings.apply(documentOf('a.example.com', { password: 'a' }))
    const flow = { key: 'a', name: 'a', active: true, source_type: 'smtp', target: 'no where?', override_target: false }
    const flows = [{ ...flow, message_template: '{{message}}', message_template_type: 'text/plain' as const }]

    await expect(settings.apply({ ...documentOf('c.example.com'), flows })).rejects.toMatchObject({
      errors: [{ pointer: '/flows/0/target' }, { pointer: '/integrations/0/secrets/password' }],
    })
  })
})

it('rejects a repeated creation of an API key as not replayable, also after the key has expired', async () => {
  const json = { name: 'short-lived', expires_at: new Date(Date.now() + 60_000).toISOString() }
  expect((await post('/v1/settings/api-keys', json)).status).toBe(201)
  clockOffsetMs = 120_000
  try {
    expect((await post('/v1/settings/api-keys', json)).json.code).toBe('idempotency_not_replayable')
    expect((await server.request('POST', '/v1/settings/api-keys', { json })).json.errors).toMatchObject([{ pointer: '/expires_at' }])
  } finally {
    clockOffsetMs = 0
  }
})

it('replays the dry run of a bulk action after its project is deleted', async () => {
  const project_id = await createProject(server, 'deleted')
  const json = { action: 'retry', filter: { project_id, created_after: '2026-01-01T00:00:00Z' }, dry_run: true }
  const first = await post('/v1/bulk-actions', json)
  await server.request('DELETE', `/v1/settings/projects/${project_id}`)
  const again = await post('/v1/bulk-actions', json)

  expect([again.status, again.text, again.headers.get('idempotency-replayed')]).toEqual([200, first.text, 'true'])
})
