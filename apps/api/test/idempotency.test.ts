import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createKey } from './support/api-keys.ts'
import { expectProblem } from './support/expect-problem.ts'
import { addFlow, createFlow } from './support/resources.ts'
import { createTestDatabase, type TestDatabase } from './support/test-database.ts'
import { startTestServer, type TestResponse, type TestServer } from './support/test-server.ts'

let database: TestDatabase
let server: TestServer
/** Another process on the same database, where that can be: the embedded one has room for one. */
let second: TestServer

const dayMs = 24 * 3_600_000
let laterMs = 0
const clock = { now: () => new Date(Date.now() + laterMs) }

beforeAll(async () => {
  database = await createTestDatabase()
  server = await startTestServer({ database, clock, env: { FLOWPOST_RATE_LIMIT: 'off' } })
  second = database.url === undefined ? server : await server.restart()
})
afterAll(async () => {
  if (second !== server) await second.stop()
  await server[Symbol.asyncDispose]()
})

const projects = '/v1/settings/projects'
let keys = 0
const newKey = (): string => {
  keys += 1
  return `key-${keys}`
}
const post = (path: string, key: string, json?: unknown, on = server, apiKey?: string): Promise<TestResponse> =>
  on.request('POST', path, {
    ...(json === undefined ? {} : { json }),
    headers: { 'Idempotency-Key': key },
    ...(apiKey === undefined ? {} : { key: apiKey }),
  })
const isReplayed = (response: TestResponse) => response.headers.get('idempotency-replayed') === 'true'
const countProjects = async (name: string): Promise<number> =>
  (await server.request('GET', `${projects}?limit=1000`)).json.data.filter((each: { name: string }) => each.name === name).length

/** Every operation that makes or does something, with a request that succeeds once, and the same with another body. */
const operations: Record<string, () => Promise<{ path: string; json?: object; other?: object; status: number }>> = {
  'projects.create': async () => ({ path: projects, json: { name: `made once ${keys}` }, other: { name: 'other' }, status: 201 }),
  'flows.create': async () => {
    const { project } = await createFlow(server)
    const json = { name: 'a', source_type: 'smtp', target: 'ops@example.com' }
    return { path: `${projects}/${project.id}/flows`, json, other: { ...json, active: false }, status: 201 }
  },
  'notifications.send': async () => {
    const { project } = await createFlow(server)
    const json = { project_id: project.id, subject: 'a', message: 'b' }
    return { path: '/v1/notifications', json, other: { ...json, subject: 'c' }, status: 202 }
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

  it('answers a repeated request as the first one, from every process', async () => {
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

  it('refuses the key with another body', async () => {
    const { path, json, other } = await prepare()
    if (!other) return
    const key = newKey()
    await post(path, key, json)
    expectProblem(await post(path, key, other), 'idempotency_key_reused')
    expect(isReplayed(await post(path, key, json))).toBe(true)
  })

  it('does its work once when the request comes many times at once, to two processes', async () => {
    const { path, json, status } = await prepare()
    const key = newKey()
    const responses = await Promise.all(Array.from({ length: 12 }, (_, index) => post(path, key, json, index % 2 ? second : server)))
    const done = responses.filter((response) => response.status === status)
    expect(done.filter((response) => !isReplayed(response))).toHaveLength(1)
    expect(new Set(done.map(({ text }) => text)).size).toBe(1)
    for (const response of responses)
      if (response.status !== status) {
        expectProblem(response, 'idempotency_in_progress')
        expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
      }
  })
})

describe('an idempotency key', () => {
  it('stands for the parsed body: neither blanks nor the order of fields matter, nor defaults that are spelled out', async () => {
    const { project } = await createFlow(server)
    const path = `${projects}/${project.id}/flows`
    const key = newKey()
    const send = (body: string) =>
      server.request('POST', path, { body, headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key } })
    const first = await send('{"name":"a","source_type":"smtp","target":"ops@example.com"}')
    const again = await send('{ "target": "ops@example.com", "source_type" : "smtp",\n "name": " a ", "active": true }')
    expect([again.status, again.text, isReplayed(again)]).toEqual([201, first.text, true])
  })

  it('is free again after a request that was refused', async () => {
    const key = newKey()
    expectProblem(await post(projects, key, { name: '' }), 'validation_failed')
    expectProblem(await post(projects, key, { name: 'x', y: 1 }), 'validation_failed')
    await server.request('POST', projects, { json: { name: 'in the way' } })
    expectProblem(await post(projects, key, { name: 'in the way' }), 'project_name_taken')
    const made = await post(projects, key, { name: 'out of the way' })
    expect([made.status, isReplayed(made)]).toEqual([201, false])

    const { project, flow } = await createFlow(server, { active: false })
    const send = { project_id: project.id, subject: 'a', message: 'b' }
    const sendKey = newKey()
    expectProblem(await post('/v1/notifications', sendKey, send), 'no_active_flows')
    await server.request('PATCH', `${projects}/${project.id}/flows/${flow.id}`, { json: { active: true } })
    const sent = await post('/v1/notifications', sendKey, send)
    expect([sent.status, isReplayed(sent)]).toEqual([202, false])
  })

  it('is of one user, one method and one path', async () => {
    const key = newKey()
    const name = 'the same for all'
    const mine = await post(projects, key, { name })
    const bobs = await post(projects, key, { name }, server, server.keys.bob)
    expect([mine.status, bobs.status, isReplayed(bobs)]).toEqual([201, 201, false])
    expect(bobs.json.id).not.toBe(mine.json.id)
    const { project } = await createFlow(server)
    const flow = { name: 'a', source_type: 'smtp', target: 'ops@example.com' }
    for (const id of [project.id, mine.json.id]) {
      const made = await post(`${projects}/${id}/flows`, key, flow)
      expect([made.status, isReplayed(made)]).toEqual([201, false])
    }
  })

  it('shows a credential of one project nothing of another project', async () => {
    const { project } = await createFlow(server)
    const { project: other } = await createFlow(server)
    const bound = await createKey(server, { project_id: other.id, scopes: ['notifications:send', 'notifications:read'] })
    const key = newKey()
    const body = { project_id: project.id, subject: 'a', message: 'secret' }
    expect((await post('/v1/notifications', key, body)).status).toBe(202)
    const response = await post('/v1/notifications', key, body, server, bound.key)
    expect(response.status).toBeGreaterThanOrEqual(400)
    expect(response.text).not.toContain('ntf_')
  })

  it('has 1 to 255 visible characters', async () => {
    for (const key of ['a', '~'.repeat(255), '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}'])
      expect((await post(projects, key, { name: `keyed ${key.slice(0, 40)}` })).status, key).toBe(201)
    for (const key of ['', '~'.repeat(256), 'a b', 'a\tb', 'caf\u00e9'])
      expect(expectProblem(await post(projects, key, { name: 'never' }), 'malformed_header'), key).toEqual([
        'header /idempotency-key invalid_value',
      ])
    expect(await countProjects('never')).toBe(0)
  })

  it('is kept for 24 hours', async () => {
    const { project } = await createFlow(server)
    const path = `${projects}/${project.id}/flows`
    const flow = { name: 'a', source_type: 'smtp', target: 'ops@example.com' }
    const key = newKey()
    await post(path, key, flow)
    try {
      laterMs = dayMs - 60_000
      expect(isReplayed(await post(path, key, flow))).toBe(true)
      laterMs = dayMs + 1_000
      const again = await post(path, key, flow)
      expect([again.status, isReplayed(again)]).toEqual([201, false])
      expect(isReplayed(await post(path, key, flow))).toBe(true)
    } finally {
      laterMs = 0
    }
  })

  it('replays what was answered, whatever has become of it since', async () => {
    const key = newKey()
    const first = await post(projects, key, { name: 'short-lived' })
    await server.request('DELETE', `${projects}/${first.json.id}`)
    expect((await post(projects, key, { name: 'short-lived' })).text).toBe(first.text)
    expect(await countProjects('short-lived')).toBe(0)
  })

  it('means nothing to a method that may be repeated anyway', async () => {
    const { project } = await createFlow(server)
    const flow = await addFlow(server, project.id)
    const path = `${projects}/${project.id}/flows/${flow.id}`
    const patch = (json: object) => server.request('PATCH', path, { json, headers: { 'Idempotency-Key': 'same' } })
    expect((await patch({ name: 'one' })).json.name).toBe('one')
    expect((await patch({ name: 'two' })).json.name).toBe('two')
  })
})

describe('a request that is still in progress', () => {
  it('keeps its key from a second one, until it is done or undone', async ({ skip }) => {
    if (database.url === undefined) return skip('The embedded database does one transaction after the other.')
    const client = new Client({ connectionString: database.url })
    await client.connect()
    try {
      const key = newKey()
      // Somebody else is about to take the name, so the request must wait for how that ends.
      await client.query('begin')
      await client.query(
        `insert into projects (id, user_id, name, created_at, updated_at) values (gen_random_uuid(), 'alice', 'contested', now(), now())`,
      )
      const both = [post(projects, key, { name: 'contested' }), post(projects, key, { name: 'contested' }, second)]
      // Whichever came first waits; the other one is refused at once.
      const refused = await Promise.race(both)
      expectProblem(refused, 'idempotency_in_progress')
      expect(refused.headers.get('retry-after')).toBe('1')
      await client.query('rollback')
      expect((await Promise.all(both)).map(({ status }) => status).sort()).toEqual([201, 409])
      expect(await countProjects('contested')).toBe(1)
      expect(isReplayed(await post(projects, key, { name: 'contested' }, second))).toBe(true)
    } finally {
      await client.end()
    }
  })
})
