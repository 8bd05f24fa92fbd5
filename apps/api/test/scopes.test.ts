import { api, type OperationMetadata, type Scope, scopes } from '@flowpost/contract'
import { type AppRoute, type AppRouter, isAppRoute } from '@ts-rest/core'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CreatedKey, createKey, createProject } from './support/api-keys.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ env: { FLOWPOST_RATE_LIMIT: 'off' } })
})
afterAll(() => server[Symbol.asyncDispose]())

type Operation = AppRoute & { readonly metadata: OperationMetadata }

const operationsOf = (router: AppRouter, prefix = ''): [string, Operation][] =>
  Object.entries(router).flatMap(([name, each]) =>
    isAppRoute(each) ? [[`${prefix}${name}`, each as Operation]] : operationsOf(each as AppRouter, `${prefix}${name}.`),
  )

const operations = operationsOf(api)

const unknownIds: Readonly<Record<string, string>> = {
  project_id: 'prj_01jdv3k2m8f6wbn0q4z5t7x9ya',
  flow_id: 'flw_01jdv3k2m8f6wbn0q4z5t7x9ya',
  notification_id: 'ntf_01jdv3k2m8f6wbn0q4z5t7x9ya',
  key_id: 'key_01jdv3k2m8f6wbn0q4z5t7x9ya',
  source_type: 'smtp',
}

const pathOf = (path: string, ids: Readonly<Record<string, string>>): string =>
  path.replace(/:([a-z_]+)/g, (_match, name: string) => ids[name] ?? 'x')

describe('the scope of every operation', () => {
  it('is declared', () => {
    expect(operations.length).toBeGreaterThan(20)
    for (const [, { metadata }] of operations) expect(scopes).toContain(metadata.scope)
  })

  it.each(operations)('is asked for before anything is looked up or read: %s', async (_name, { method, path, metadata }) => {
    const others = scopes.filter((scope) => scope !== metadata.scope)
    const { key } = await createKey(server, { scopes: others })
    const unknown = pathOf(path, unknownIds)
    const malformed = pathOf(path, { ...unknownIds, project_id: 'x', flow_id: 'x', notification_id: 'x', key_id: 'x' })
    const brokenBody = ['GET', 'DELETE'].includes(method) ? {} : { body: '{ "broken', headers: { 'Content-Type': 'text/plain' } }
    const answers = [
      await server.request(method, unknown, { key }),
      await server.request(method, malformed, { key }),
      await server.request(method, `${unknown}?unknown=1`, { key, ...brokenBody }),
    ]

    for (const answer of answers) {
      expect([answer.status, answer.json.code]).toEqual([403, 'scope_missing'])
      expect(answer.headers.get('www-authenticate')).toBe(`Bearer realm="flowpost", error="insufficient_scope", scope="${metadata.scope}"`)
    }
  })

  it.each(operations)('is all that is asked for: %s', async (_name, { method, path, metadata }) => {
    const { key } = await createKey(server, { scopes: [metadata.scope] })
    const answer = await server.request(method, pathOf(path, unknownIds), { key })

    expect([401, 403, 405, 500]).not.toContain(answer.status)
  })

  it.each(operations)('does not matter without a credential: %s', async (_name, { method, path }) => {
    const answer = await server.request(method, pathOf(path, unknownIds), { key: null })

    expect([answer.status, answer.json.code]).toEqual([401, 'unauthenticated'])
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="flowpost"')
  })

  it('is refused without a query to the database, but that for the key', async () => {
    const { url } = server.database
    if (url === undefined) return
    const { key } = await createKey(server, { scopes: ['notifications:send'] })
    const client = new Client({ connectionString: url })
    await client.connect()
    try {
      // A table that is locked makes every look-up in it wait for ever.
      await client.query('begin; lock table projects, flows, notifications, deliveries in access exclusive mode')
      const answer = await server.request('GET', `/v1/settings/projects/${unknownIds['project_id']}`, { key })
      expect(answer.status).toBe(403)
    } finally {
      await client.end()
    }
  })
})

describe('a key that is bound to a project', () => {
  const all: readonly Scope[] = scopes
  let own: string
  let other: string
  let bound: CreatedKey
  let ids: { own: Record<string, string>; other: Record<string, string> }

  const makeFlow = async (project: string) =>
    (
      await server.request('POST', `/v1/settings/projects/${project}/flows`, {
        json: { name: 'Operations', source_type: 'smtp', target: 'ops@example.com' },
      })
    ).json.id
  const send = async (project_id: string) =>
    (await server.request('POST', '/v1/notifications', { json: { project_id, subject: 'Invoice', message: 'x' } })).json.id

  beforeAll(async () => {
    own = await createProject(server, 'own')
    other = await createProject(server, 'other')
    bound = await createKey(server, { project_id: own, scopes: all })
    const beside = await createKey(server, { project_id: other })
    ids = {
      own: { project_id: own, flow_id: await makeFlow(own), notification_id: await send(own), key_id: bound.id, source_type: 'smtp' },
      other: {
        project_id: other,
        flow_id: await makeFlow(other),
        notification_id: await send(other),
        key_id: beside.id,
        source_type: 'smtp',
      },
    }
  })

  const withIds = operations.filter(([, { path }]) => path.includes(':'))

  it.each(withIds.filter(([name]) => name !== 'projects.delete'))('finds nothing of another project: %s', async (_name, route) => {
    const { method, path } = route
    // A body without a fault, as far as one is needed to get to the look-up.
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
    }
    const json = bodies[_name]
    const answer = await server.request(method, pathOf(path, ids.other), { key: bound.key, ...(json === undefined ? {} : { json }) })

    expect([answer.status, answer.json.code]).toEqual([404, 'not_found'])
  })

  it.each(operations.filter(([, { method, path }]) => method === 'GET' && path.includes(':')))(
    'finds what is of its own: %s',
    async (name, { method, path }) => {
      const answer = await server.request(method, pathOf(path, ids.own), { key: bound.key })

      // It has no integration of its own, which is nothing to find either.
      expect(answer.status).toBe(name === 'integrations.get' ? 404 : 200)
    },
  )

  it('sees only what is of its own in lists', async () => {
    const idsIn = async (path: string) =>
      (await server.request('GET', path, { key: bound.key })).json.data.map(({ id }: { id: string }) => id)

    expect(await idsIn('/v1/settings/projects')).toEqual([own])
    expect(await idsIn('/v1/settings/api-keys')).toEqual([bound.id])
    expect(await idsIn('/v1/notifications')).toEqual([ids.own['notification_id']])
    expect(await idsIn(`/v1/notifications?project_id=${own}`)).toEqual([ids.own['notification_id']])
  })

  it.each(['project_id', 'flow_id'])('finds nothing by a filter of another project: %s', async (name) => {
    const answer = await server.request('GET', `/v1/notifications?${name}=${ids.other[name]}`, { key: bound.key })

    expect(answer.status).toBe(404)
  })

  it.each(['/v1/notifications', '/v1/notifications/preview'])('sends nothing to another project: %s', async (path) => {
    const json = { project_id: other, subject: 'x', message: 'x' }
    const ownFlow = { ...json, flow_id: ids.own['flow_id'] }
    const answers = [
      await server.request('POST', path, { key: bound.key, json }),
      await server.request('POST', path, { key: bound.key, json: ownFlow }),
      await server.request('POST', path, { key: bound.key, json: { ...json, project_id: own, flow_id: ids.other['flow_id'] } }),
    ]

    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404])
  })

  it('cannot create or delete projects, its own included: 403, before anything of the request is looked at', async () => {
    const broken = { body: '{ "broken', headers: { 'Content-Type': 'text/plain', 'If-Match': 'x', 'Idempotency-Key': 'a b' } }
    const answers = [
      await server.request('POST', '/v1/settings/projects', { key: bound.key, json: {} }),
      await server.request('POST', '/v1/settings/projects?a=b', { key: bound.key, ...broken }),
      await server.request('DELETE', `/v1/settings/projects/${own}?a=b`, { key: bound.key, headers: { 'If-Match': 'x' } }),
      await server.request('DELETE', '/v1/settings/projects', { key: bound.key }),
      await server.request('DELETE', '/v1/settings/projects/x', { key: bound.key }),
      await server.request('POST', '/v1/settings/projects', { key: bound.key, json: { name: 'new' } }),
      await server.request('DELETE', `/v1/settings/projects/${own}`, { key: bound.key }),
      await server.request('DELETE', `/v1/settings/projects/${other}`, { key: bound.key }),
      await server.request('DELETE', `/v1/settings/projects/${unknownIds['project_id']}`, { key: bound.key }),
      await server.request('DELETE', `/v1/settings/projects?project_id=${own}`, { key: bound.key }),
    ]

    expect(answers.map(({ status, json }) => [status, json.code])).toEqual(answers.map(() => [403, 'scope_missing']))
    for (const { headers } of answers) expect(headers.get('www-authenticate')).toContain('error="insufficient_scope"')
  })
})
