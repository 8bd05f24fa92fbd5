import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createKey } from './support/api-keys.ts'
import { expectProblem } from './support/expect-problem.ts'
import { acquireDatabase } from './support/pooled-database.ts'
import { addFlow, createFlow } from './support/resources.ts'
import type { TestDatabase } from './support/test-database.ts'
import { startTestServer, type TestResponse, type TestServer } from './support/test-server.ts'

let database: TestDatabase
let server: TestServer
/**
 * A second server on the same database. With the embedded database, which allows only one process, `second` is the first
 * server itself.
 */
let second: TestServer

const dayMs = 24 * 3_600_000
let clockOffsetMs = 0
const clock = { now: () => new Date(Date.now() + clockOffsetMs) }

beforeAll(async () => {
  database = await acquireDatabase()
  server = await startTestServer({ database, clock, env: { FLOWPOST_RATE_LIMIT: 'off' } })
  second = database.url === undefined ? server : await server.restart()
})
afterAll(async () => {
  if (second !== server) await second.stop()
  await server[Symbol.asyncDispose]()
})

const projects = '/v1/settings/projects'
let keyCount = 0
const newKey = (): string => {
  keyCount += 1
  return `key-${keyCount}`
}
const post = (path: string, key: string, json?: unknown, on = server, apiKey?: string): Promise<TestResponse> =>
  on.request('POST', path, {
    ...(json === undefined ? {} : { json }),
    headers: { 'Idempotency-Key': key },
    ...(apiKey === undefined ? {} : { key: apiKey }),
  })
const isReplayed = (response: TestResponse) => response.headers.get('idempotency-replayed') === 'true'
const countProjects = async (name: string): Promise<number> =>
  (await server.request('GET', `${projects}?limit=1000`)).json.data.filter((project: { name: string }) => project.name === name).length

/** A request for each operation that supports idempotency keys. `otherJson` is a different body, for operations with a body. */
const operations: Record<string, () => Promise<{ path: string; json?: object; otherJson?: object; status: number }>> = {
  'projects.create': async () => ({
    path: projects,
    json: { name: `created once ${keyCount}` },
    otherJson: { name: 'other' },
    status: 201,
  }),
  'flows.create': async () => {
    const { project } = await createFlow(server)
    const json = { name: 'a', source_type: 'smtp', target: 'ops@example.com' }
    return { path: `${projects}/${project.id}/flows`, json, otherJson: { ...json, active: false }, status: 201 }
  },
  'notifications.send': async () => {
    const { project } = await createFlow(server)
    const json = { project_id: project.id, subject: 'a', message: 'b' }
    return { path: '/v1/notifications', json, otherJson: { ...json, subject: 'c' }, status: 202 }
  },
  'notifications.cancel': async () => {
    const { project } = await createFlow(server)
    const json = { project_id: project.id, subject: 'a', message: 'b', send_at: new Date(Date.now() + 3_600_000).toISOString() }
    const { id } = (await server.request('POST', '/v1/notifications', { json })).json
    return { path: `/v1/notifications/${id}/cancel`, status: 200 }
  },
}

describe.each(Object.keys(operations))('%s with an idempotency key', (name) => {
  const prepare = () => operations[name]?.() ?? Promise.reject(new Error(name))

  it('replays the first response in every process', async () => {
    const { path, json, status } = await prepare()
    const key = newKey()
    const first = await post(path, key, json)
    expect([first.status, isReplayed(first)]).toEqual([status, false])
    for (const on of [server, second]) {
      const again = await post(path, key, json, on)
      expect([again.status, again.text, isReplayed(again)]).toEqual([status, first.text, true])
      for (const header of ['location', 'etag', 'content-type']) expect(again.headers.get(header)).toBe(first.headers.get(header))
      expect(again.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'))
    }
  })

  it('rejects the key with another body', async () => {
    const { path, json, otherJson } = await prepare()
    if (!otherJson) return
    const key = newKey()
    await post(path, key, json)
    expectProblem(await post(path, key, otherJson), 'idempotency_key_reused')
    expect(isReplayed(await post(path, key, json))).toBe(true)
  })

  it('runs once when two processes receive the request concurrently', async () => {
    const { path, json, status } = await prepare()
    const key = newKey()
    const responses = await Promise.all(Array.from({ length: 12 }, (_, index) => post(path, key, json, index % 2 ? second : server)))
    const succeeded = responses.filter((response) => response.status === status)
    expect(succeeded.filter((response) => !isReplayed(response))).toHaveLength(1)
    expect(new Set(succeeded.map(({ text }) => text)).size).toBe(1)
    for (const response of responses)
      if (response.status !== status) {
        expectProblem(response, 'idempotency_in_progress')
        expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
      }
  })
})

describe('an idempotency key', () => {
  it('matches a body that differs only in whitespace, field order or explicit defaults', async () => {
    const { project } = await createFlow(server)
    const path = `${projects}/${project.id}/flows`
    const key = newKey()
    const send = (body: string) =>
      server.request('POST', path, { body, headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key } })
    const first = await send('{"name":"a","source_type":"smtp","target":"ops@example.com"}')
    const again = await send('{ "target": "ops@example.com", "source_type" : "smtp",\n "name": " a ", "active": true }')
    expect([again.status, again.text, isReplayed(again)]).toEqual([201, first.text, true])
  })

  it('can be used again after a rejected request', async () => {
    const key = newKey()
    expectProblem(await post(projects, key, { name: '' }), 'validation_failed')
    expectProblem(await post(projects, key, { name: 'x', y: 1 }), 'validation_failed')
    await server.request('POST', projects, { json: { name: 'occupied' } })
    expectProblem(await post(projects, key, { name: 'occupied' }), 'project_name_taken')
    const created = await post(projects, key, { name: 'free' })
    expect([created.status, isReplayed(created)]).toEqual([201, false])

    const { project, flow } = await createFlow(server, { active: false })
    const send = { project_id: project.id, subject: 'a', message: 'b' }
    const sendKey = newKey()
    expectProblem(await post('/v1/notifications', sendKey, send), 'no_active_flows')
    await server.request('PATCH', `${projects}/${project.id}/flows/${flow.id}`, { json: { active: true } })
    const sent = await post('/v1/notifications', sendKey, send)
    expect([sent.status, isReplayed(sent)]).toEqual([202, false])
  })

  it('is separate for each user, method and path', async () => {
    const key = newKey()
    const name = 'the same for all'
    const aliceProject = await post(projects, key, { name })
    const bobProject = await post(projects, key, { name }, server, server.keys.bob)
    expect([aliceProject.status, bobProject.status, isReplayed(bobProject)]).toEqual([201, 201, false])
    expect(bobProject.json.id).not.toBe(aliceProject.json.id)
    const { project } = await createFlow(server)
    const flow = { name: 'a', source_type: 'smtp', target: 'ops@example.com' }
    for (const id of [project.id, aliceProject.json.id]) {
      const created = await post(`${projects}/${id}/flows`, key, flow)
      expect([created.status, isReplayed(created)]).toEqual([201, false])
    }
  })

  it('does not replay a response from one project to a key for another project', async () => {
    const { project } = await createFlow(server)
    const { project: otherProject } = await createFlow(server)
    const projectKey = await createKey(server, { project_id: otherProject.id, scopes: ['notifications:send', 'notifications:read'] })
    const key = newKey()
    const body = { project_id: project.id, subject: 'a', message: 'secret' }
    expect((await post('/v1/notifications', key, body)).status).toBe(202)
    const response = await post('/v1/notifications', key, body, server, projectKey.key)
    expect(response.status).toBeGreaterThanOrEqual(400)
    expect(response.text).not.toContain('ntf_')
  })

  it('must have 1 to 255 visible characters', async () => {
    for (const key of ['a', '~'.repeat(255), '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}'])
      expect((await post(projects, key, { name: `keyed ${key.slice(0, 40)}` })).status, key).toBe(201)
    for (const key of ['', '~'.repeat(256), 'a b', 'a\tb', 'caf\u00e9'])
      expect(expectProblem(await post(projects, key, { name: 'never' }), 'malformed_header'), key).toEqual([
        'header /idempotency-key invalid_value',
      ])
    expect(await countProjects('never')).toBe(0)
  })

  it('expires after 24 hours', async () => {
    const { project } = await createFlow(server)
    const path = `${projects}/${project.id}/flows`
    const flow = { name: 'a', source_type: 'smtp', target: 'ops@example.com' }
    const key = newKey()
    await post(path, key, flow)
    try {
      clockOffsetMs = dayMs - 60_000
      expect(isReplayed(await post(path, key, flow))).toBe(true)
      clockOffsetMs = dayMs + 1_000
      const again = await post(path, key, flow)
      expect([again.status, isReplayed(again)]).toEqual([201, false])
      expect(isReplayed(await post(path, key, flow))).toBe(true)
    } finally {
      clockOffsetMs = 0
    }
  })

  it('replays the first response after the created resource was deleted', async () => {
    const key = newKey()
    const first = await post(projects, key, { name: 'short-lived' })
    await server.request('DELETE', `${projects}/${first.json.id}`)
    expect((await post(projects, key, { name: 'short-lived' })).text).toBe(first.text)
    expect(await countProjects('short-lived')).toBe(0)
  })

  it('is ignored for PATCH', async () => {
    const { project } = await createFlow(server)
    const flow = await addFlow(server, project.id)
    const path = `${projects}/${project.id}/flows/${flow.id}`
    const patch = (json: object) => server.request('PATCH', path, { json, headers: { 'Idempotency-Key': 'same' } })
    expect((await patch({ name: 'one' })).json.name).toBe('one')
    expect((await patch({ name: 'two' })).json.name).toBe('two')
  })
})

describe('an idempotency key of a request in progress', () => {
  it('is rejected until the request ends', async ({ skip }) => {
    if (database.url === undefined) return skip('The embedded database runs one transaction at a time.')
    const client = new Client({ connectionString: database.url })
    await client.connect()
    try {
      const key = newKey()
      // An open transaction has inserted the name, so the request waits for the transaction to end.
      await client.query('begin')
      await client.query(
        `insert into projects (id, user_id, name, created_at, updated_at) values (gen_random_uuid(), 'alice', 'contested', now(), now())`,
      )
      const both = [post(projects, key, { name: 'contested' }), post(projects, key, { name: 'contested' }, second)]
      // The first request waits, and the second one is rejected immediately.
      const rejected = await Promise.race(both)
      expectProblem(rejected, 'idempotency_in_progress')
      expect(rejected.headers.get('retry-after')).toBe('1')
      await client.query('rollback')
      expect((await Promise.all(both)).map(({ status }) => status).sort()).toEqual([201, 409])
      expect(await countProjects('contested')).toBe(1)
      expect(isReplayed(await post(projects, key, { name: 'contested' }, second))).toBe(true)
    } finally {
      await client.end()
    }
  })
})
