import { api, type OperationMetadata, type Scope, scopes } from '@flowpost/contract'
import { type AppRoute, type AppRouter, isAppRoute } from '@ts-rest/core'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CreatedKey, createKey, createProject } from './support/api-keys.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

let server: TestServer
beforeAll(async () => {
  const encryption = { FLOWPOST_ENCRYPTION_KEY: `k1:${Buffer.alloc(32, 1).toString('base64')}` }
  server = await startTestServer({ env: { FLOWPOST_RATE_LIMIT: 'off', ...encryption } })
})
afterAll(() => server[Symbol.asyncDispose]())

type Operation = AppRoute & { readonly metadata: OperationMetadata }

const operationsOf = (router: AppRouter, prefix = ''): [string, Operation][] =>
  Object.entries(router).flatMap(([name, route]) =>
    isAppRoute(route) ? [[`${prefix}${name}`, route as Operation]] : operationsOf(route as AppRouter, `${prefix}${name}.`),
  )

const operations = operationsOf(api)

const unknownIds: Readonly<Record<string, string>> = {
  project_id: 'prj_01jdv3k2m8f6wbn0q4z5t7x9ya',
  flow_id: 'flw_01jdv3k2m8f6wbn0q4z5t7x9ya',
  notification_id: 'ntf_01jdv3k2m8f6wbn0q4z5t7x9ya',
  delivery_id: 'dlv_01jdv3k2m8f6wbn0q4z5t7x9ya',
  suppression_id: 'sup_01jdv3k2m8f6wbn0q4z5t7x9ya',
  endpoint_id: 'evp_01jdv3k2m8f6wbn0q4z5t7x9ya',
  action_id: 'act_01jdv3k2m8f6wbn0q4z5t7x9ya',
  erasure_id: 'ers_01jdv3k2m8f6wbn0q4z5t7x9ya',
  key_id: 'key_01jdv3k2m8f6wbn0q4z5t7x9ya',
  source_type: 'smtp',
}

const pathOf = (path: string, ids: Readonly<Record<string, string>>): string =>
  path.replace(/:([a-z_]+)/g, (_match, name: string) => ids[name] ?? 'x')

describe('required scope', () => {
  it('is declared for every operation', () => {
    expect(operations.length).toBeGreaterThan(20)
    for (const [, { metadata }] of operations) expect(scopes).toContain(metadata.scope)
  })

  it.each(operations)('is checked before the resource, query and body: %s', async (_name, { method, path, metadata }) => {
    const otherScopes = scopes.filter((scope) => scope !== metadata.scope)
    const { key } = await createKey(server, { scopes: otherScopes })
    const unknown = pathOf(path, unknownIds)
    const malformed = pathOf(path, { ...unknownIds, project_id: 'x', flow_id: 'x', notification_id: 'x', key_id: 'x' })
    const brokenBody = ['GET', 'DELETE'].includes(method) ? {} : { body: '{ "broken', headers: { 'Content-Type': 'text/plain' } }
    const responses = [
      await server.request(method, unknown, { key }),
      await server.request(method, malformed, { key }),
      await server.request(method, `${unknown}?unknown=1`, { key, ...brokenBody }),
    ]

    for (const response of responses) {
      expect([response.status, response.json.code]).toEqual([403, 'scope_missing'])
      expect(response.headers.get('www-authenticate')).toBe(
        `Bearer realm="flowpost", error="insufficient_scope", scope="${metadata.scope}"`,
      )
    }
  })

  it.each(operations)('is sufficient for the operation: %s', async (_name, { method, path, metadata }) => {
    const { key } = await createKey(server, { scopes: [metadata.scope] })
    const response = await server.request(method, pathOf(path, unknownIds), { key })

    expect([401, 403, 405, 500]).not.toContain(response.status)
  })

  it.each(operations)('is not checked for requests without a credential: %s', async (_name, { method, path }) => {
    const response = await server.request(method, pathOf(path, unknownIds), { key: null })

    expect([response.status, response.json.code]).toEqual([401, 'unauthenticated'])
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="flowpost"')
  })

  it('is checked without reading resources from the database (needs TEST_DATABASE_URL)', async ({ skip }) => {
    const { url } = server.database
    if (url === undefined) return skip()
    const { key } = await createKey(server, { scopes: ['notifications:send'] })
    const client = new Client({ connectionString: url })
    await client.connect()
    try {
      // A query on a locked table waits until the request times out.
      await client.query('begin; lock table projects, flows, notifications, deliveries in access exclusive mode')
      const response = await server.request('GET', `/v1/settings/projects/${unknownIds['project_id']}`, { key })
      expect(response.status).toBe(403)
    } finally {
      await client.end()
    }
  })
})

describe('keys limited to a project', () => {
  const allScopes: readonly Scope[] = scopes
  let ownProjectId: string
  let otherProjectId: string
  let limitedKey: CreatedKey
  let ids: { own: Record<string, string>; other: Record<string, string> }

  const createFlow = async (project: string) =>
    (
      await server.request('POST', `/v1/settings/projects/${project}/flows`, {
        json: { name: 'Operations', source_type: 'smtp', target: 'ops@example.com' },
      })
    ).json.id
  const send = async (project_id: string) =>
    (await server.request('POST', '/v1/notifications', { json: { project_id, subject: 'Invoice', message: 'x' } })).json
  const create = async (path: string, json: object) => (await server.request('POST', path, { json })).json.id

  beforeAll(async () => {
    ownProjectId = await createProject(server, 'own')
    otherProjectId = await createProject(server, 'other')
    limitedKey = await createKey(server, { project_id: ownProjectId, scopes: allScopes })
    const otherKey = await createKey(server, { project_id: otherProjectId })
    const idsOf = async (project_id: string, key_id: string) => ({
      project_id,
      flow_id: await createFlow(project_id),
      ...(await send(project_id).then(({ id, deliveries }) => ({ notification_id: id, delivery_id: deliveries[0].id }))),
      suppression_id: await create(`/v1/settings/projects/${project_id}/suppressions`, { target: 'gone@example.com' }),
      endpoint_id: await create(`/v1/settings/projects/${project_id}/event-endpoints`, { url: null, events: ['delivery.sent'] }),
      action_id: await create('/v1/bulk-actions', { action: 'retry', filter: { project_id, created_after: '2026-11-21T00:00:00Z' } }),
      key_id,
      source_type: 'smtp',
    })
    ids = { own: await idsOf(ownProjectId, limitedKey.id), other: await idsOf(otherProjectId, otherKey.id) }
  })

  // Erasures concern all projects, so these keys have no access to them.
  const operationsWithIds = operations.filter(([name, { path }]) => path.includes(':') && name !== 'erasures.get')

  it.each(operationsWithIds.filter(([name]) => name !== 'projects.delete'))(
    'return 404 for resources of other projects: %s',
    async (name, { method, path }) => {
      const endpoint = { url: null, events: ['delivery.failed'], active: true, description: '' }
      // Valid bodies, so that validation passes.
      const bodies: Record<string, unknown> = {
        'projects.update': { name: 'renamed' },
        'flows.create': { name: 'x', source_type: 'smtp', target: 'a@example.com' },
        'flows.patch': { name: 'x' },
        'flows.update': {
          name: 'x',
          active: true,
          source_type: 'smtp',
          target: 'a@example.com',
          override_target: false,
          message_template: '{{message}}',
          message_template_type: 'text/plain',
        },
        'integrations.put': { url: 'smtp://127.0.0.1:1' },
        'suppressions.create': { target: 'bob@example.com' },
        'eventEndpoints.create': endpoint,
        'eventEndpoints.update': endpoint,
        'eventEndpoints.replay': { after: null },
        'deliveries.recordReceipt': { status: 'delivered' },
      }
      const json = bodies[name]
      const response = await server.request(method, pathOf(path, ids.other), {
        key: limitedKey.key,
        ...(json === undefined ? {} : { json }),
      })

      expect([response.status, response.json.code]).toEqual([404, 'not_found'])
    },
  )

  it.each(operationsWithIds.filter(([, { method }]) => method === 'GET'))(
    'return resources of their project: %s',
    async (name, { method, path }) => {
      const response = await server.request(method, pathOf(path, ids.own), { key: limitedKey.key })

      // The project has no integration.
      expect(response.status).toBe(name === 'integrations.get' ? 404 : 200)
    },
  )

  it('list only resources of their project', async () => {
    const idsIn = async (path: string) =>
      (await server.request('GET', path, { key: limitedKey.key })).json.data.map(({ id }: { id: string }) => id)

    expect(await idsIn('/v1/settings/projects')).toEqual([ownProjectId])
    expect(await idsIn('/v1/settings/api-keys')).toEqual([limitedKey.id])
    expect(await idsIn('/v1/notifications')).toEqual([ids.own['notification_id']])
    expect(await idsIn(`/v1/notifications?project_id=${ownProjectId}`)).toEqual([ids.own['notification_id']])
  })

  it.each(['project_id', 'flow_id'])('return 404 for a %s filter with an id from another project', async (name) => {
    const response = await server.request('GET', `/v1/notifications?${name}=${ids.other[name]}`, { key: limitedKey.key })

    expect(response.status).toBe(404)
  })

  it.each(['/v1/notifications', '/v1/notifications/preview'])('return 404 for messages to other projects: %s', async (path) => {
    const json = { project_id: otherProjectId, subject: 'x', message: 'x' }
    const ownFlow = { ...json, flow_id: ids.own['flow_id'] }
    const responses = [
      await server.request('POST', path, { key: limitedKey.key, json }),
      await server.request('POST', path, { key: limitedKey.key, json: ownFlow }),
      await server.request('POST', path, {
        key: limitedKey.key,
        json: { ...json, project_id: ownProjectId, flow_id: ids.other['flow_id'] },
      }),
    ]

    expect(responses.map(({ status }) => status)).toEqual([404, 404, 404])
  })

  it('return 403 for every creation or deletion of a project, before the request is validated', async () => {
    const broken = { body: '{ "broken', headers: { 'Content-Type': 'text/plain', 'If-Match': 'x', 'Idempotency-Key': 'a b' } }
    const responses = [
      await server.request('POST', '/v1/settings/projects', { key: limitedKey.key, json: {} }),
      await server.request('POST', '/v1/settings/projects?a=b', { key: limitedKey.key, ...broken }),
      await server.request('DELETE', `/v1/settings/projects/${ownProjectId}?a=b`, { key: limitedKey.key, headers: { 'If-Match': 'x' } }),
      await server.request('DELETE', '/v1/settings/projects', { key: limitedKey.key }),
      await server.request('DELETE', '/v1/settings/projects/x', { key: limitedKey.key }),
      await server.request('POST', '/v1/settings/projects', { key: limitedKey.key, json: { name: 'new' } }),
      await server.request('DELETE', `/v1/settings/projects/${ownProjectId}`, { key: limitedKey.key }),
      await server.request('DELETE', `/v1/settings/projects/${otherProjectId}`, { key: limitedKey.key }),
      await server.request('DELETE', `/v1/settings/projects/${unknownIds['project_id']}`, { key: limitedKey.key }),
      await server.request('DELETE', `/v1/settings/projects?project_id=${ownProjectId}`, { key: limitedKey.key }),
    ]

    expect(responses.map(({ status, json }) => [status, json.code])).toEqual(responses.map(() => [403, 'scope_missing']))
    for (const { headers } of responses) expect(headers.get('www-authenticate')).toContain('error="insufficient_scope"')
  })
})
