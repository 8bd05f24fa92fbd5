import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { createKey, statusWith } from './support/api-keys.ts'
import { onDatabase } from './support/direct-database.ts'
import { addFlow, createFlow, send } from './support/resources.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer({ env: { FLOWPOST_RATE_LIMIT: 'off' } })
})

afterAll(() => server[Symbol.asyncDispose]())

const pathOf = (flow: { id: string; project_id: string }) => `/v1/settings/projects/${flow.project_id}/flows/${flow.id}`
const targets = (notification: { deliveries: { target: string }[] }) => notification.deliveries.map(({ target }) => target).sort()

/** The fields of a flow that a PUT takes. */
const writable = ({ active, source_type, override_target, message_template, message_template_type }: Record<string, unknown>) => ({
  active,
  source_type,
  override_target,
  message_template,
  message_template_type,
})

/** Asks until the answer is the expected one, for at most a second and the time of the last request. */
const withinASecond = async <T>(expected: T, ask: () => Promise<T>) => {
  const until = performance.now() + 1_000
  let answer = await ask()
  while (JSON.stringify(answer) !== JSON.stringify(expected) && performance.now() < until) answer = await ask()
  expect(answer).toEqual(expected)
}

describe('the next request to the process that has acknowledged a write', () => {
  it('sees each way in which a flow is written', async () => {
    const { project, flow } = await createFlow(server)
    const path = pathOf(flow)
    const nameOf = async () => (await server.request('GET', path)).json.name
    const targetsOfSend = async () => targets(await send(server, project.id))

    expect([await nameOf(), await targetsOfSend()]).toEqual(['Operations', ['ops@example.com']])
    for (let round = 0; round < 5; round += 1) {
      const target = `put-${round}@example.com`
      expect((await server.request('PUT', path, { json: { ...writable(flow), name: `put ${round}`, target } })).status).toBe(200)
      expect([await nameOf(), await targetsOfSend()]).toEqual([`put ${round}`, [target]])
    }
    await server.request('PATCH', path, { json: { name: 'patched', target: 'patched@example.com' } })
    expect([await nameOf(), await targetsOfSend()]).toEqual(['patched', ['patched@example.com']])

    const second = await addFlow(server, project.id, { target: 'second@example.com' })
    expect(await targetsOfSend()).toEqual(['patched@example.com', 'second@example.com'])
    await server.request('PATCH', path, { json: { active: false } })
    expect(await targetsOfSend()).toEqual(['second@example.com'])
    await server.request('DELETE', pathOf(second))
    expect((await server.request('GET', pathOf(second))).status).toBe(404)
    expect(
      (await server.request('POST', '/v1/notifications', { json: { project_id: project.id, subject: 's', message: 'm' } })).json.code,
    ).toBe('no_active_flows')
  })

  it('does not find a project that was deleted, nor its keys', async () => {
    const { project, flow } = await createFlow(server)
    const { key } = await createKey(server, { project_id: project.id })
    await send(server, project.id)
    expect((await server.request('GET', pathOf(flow), { key })).status).toBe(200)
    expect((await server.request('DELETE', `/v1/settings/projects/${project.id}`)).status).toBe(204)
    expect((await server.request('GET', pathOf(flow), { key })).status).toBe(401)
    expect((await server.request('GET', pathOf(flow))).status).toBe(404)
    const refused = await server.request('POST', '/v1/notifications', { json: { project_id: project.id, subject: 's', message: 'm' } })
    expect(refused.status).toBe(404)
  })

  it('refuses a key that was revoked, and one that was made with it', async () => {
    const parent = await createKey(server)
    const child = await createKey(server, {}, parent.key)
    expect([await statusWith(server, parent.key), await statusWith(server, child.key)]).toEqual([200, 200])
    expect((await server.request('DELETE', `/v1/settings/api-keys/${parent.id}`)).status).toBe(204)
    expect([await statusWith(server, parent.key), await statusWith(server, child.key)]).toEqual([401, 401])
  })

  it('never shows what is kept to another user', async () => {
    const { flow } = await createFlow(server)
    expect((await server.request('GET', pathOf(flow))).status).toBe(200)
    expect((await server.request('GET', pathOf(flow), { key: server.keys.bob })).status).toBe(404)
  })
})

// Only PostgreSQL has room for more processes than one.
describe.runIf(inject('postgres'))('another process', () => {
  let other: TestServer

  beforeAll(async () => {
    other = await server.restart()
  })

  afterAll(() => other.stop())

  it('sees within a second that a flow was changed, deactivated or deleted', async () => {
    const { project, flow } = await createFlow(server)
    const path = pathOf(flow)
    const seen = async () => {
      const { json } = await other.request('GET', path)
      const sent = await other.request('POST', '/v1/notifications', { json: { project_id: project.id, subject: 's', message: 'm' } })
      return [json.name ?? json.code, sent.json.code ?? sent.json.deliveries[0].target]
    }
    await withinASecond(['Operations', 'ops@example.com'], seen)
    await server.request('PUT', path, { json: { ...writable(flow), name: 'put', target: 'put@example.com' } })
    await withinASecond(['put', 'put@example.com'], seen)
    await server.request('PATCH', path, { json: { active: false } })
    await withinASecond(['put', 'no_active_flows'], seen)
    await server.request('DELETE', path)
    await withinASecond(['not_found', 'no_active_flows'], seen)
  })

  it('refuses within a second a key that was revoked', async () => {
    const { id, key } = await createKey(server)
    expect(await statusWith(other, key)).toBe(200)
    await server.request('DELETE', `/v1/settings/api-keys/${id}`)
    await withinASecond(401, () => statusWith(other, key))
  })

  it('gives no stale answer once its listening connection is lost, and keeps none until it is back', async () => {
    const { flow } = await createFlow(server)
    const path = pathOf(flow)
    expect((await other.request('GET', path)).json.name).toBe('Operations')
    await onDatabase(server.database, async (query) => {
      await query(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'flowpost-listen'`,
      )
      await expect.poll(() => other.logged.some((line) => line.includes('LISTEN connection lost'))).toBe(true)
      // Beside every server, so that nobody is told.
      for (const name of ['second', 'third']) {
        await query('update flows set name = $1 where name <> $1', [name])
        expect((await other.request('GET', path)).json.name).toBe(name)
      }
    })
  })
})
