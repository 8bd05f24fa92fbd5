import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { createKey, statusForKey } from './support/api-keys.ts'
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

/** Returns the fields of a flow that PUT accepts. */
const writable = ({ active, source_type, override_target, message_template, message_template_type }: Record<string, unknown>) => ({
  active,
  source_type,
  override_target,
  message_template,
  message_template_type,
})

describe('the process that acknowledged a write', () => {
  it('applies each change to a flow from the next request on', async () => {
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

  it('returns 404 for a deleted project and 401 for its keys', async () => {
    const { project, flow } = await createFlow(server)
    const { key } = await createKey(server, { project_id: project.id })
    await send(server, project.id)
    expect((await server.request('GET', pathOf(flow), { key })).status).toBe(200)
    expect((await server.request('DELETE', `/v1/settings/projects/${project.id}`)).status).toBe(204)
    expect((await server.request('GET', pathOf(flow), { key })).status).toBe(401)
    expect((await server.request('GET', pathOf(flow))).status).toBe(404)
    const rejected = await server.request('POST', '/v1/notifications', { json: { project_id: project.id, subject: 's', message: 'm' } })
    expect(rejected.status).toBe(404)
  })

  it('returns 401 for a revoked key and its child key', async () => {
    const parent = await createKey(server)
    const child = await createKey(server, {}, parent.key)
    expect([await statusForKey(server, parent.key), await statusForKey(server, child.key)]).toEqual([200, 200])
    expect((await server.request('DELETE', `/v1/settings/api-keys/${parent.id}`)).status).toBe(204)
    expect([await statusForKey(server, parent.key), await statusForKey(server, child.key)]).toEqual([401, 401])
  })

  it("returns 404 for another user's cached flow", async () => {
    const { flow } = await createFlow(server)
    expect((await server.request('GET', pathOf(flow))).status).toBe(200)
    expect((await server.request('GET', pathOf(flow), { key: server.keys.bob })).status).toBe(404)
  })
})

// Only one process can use the embedded database.
describe.runIf(inject('postgres'))('another process', () => {
  let otherServer: TestServer

  beforeAll(async () => {
    otherServer = await server.restart()
  })

  afterAll(() => otherServer.stop())

  it('sees that a flow was changed, deactivated or deleted', async () => {
    const { project, flow } = await createFlow(server)
    const path = pathOf(flow)
    const read = async () => {
      const { json } = await otherServer.request('GET', path)
      const sent = await otherServer.request('POST', '/v1/notifications', { json: { project_id: project.id, subject: 's', message: 'm' } })
      return [json.name ?? json.code, sent.json.code ?? sent.json.deliveries[0].target]
    }
    await expect.poll(read).toEqual(['Operations', 'ops@example.com'])
    await server.request('PUT', path, { json: { ...writable(flow), name: 'put', target: 'put@example.com' } })
    await expect.poll(read).toEqual(['put', 'put@example.com'])
    await server.request('PATCH', path, { json: { active: false } })
    await expect.poll(read).toEqual(['put', 'no_active_flows'])
    await server.request('DELETE', path)
    await expect.poll(read).toEqual(['not_found', 'no_active_flows'])
  })

  it('returns 401 for a revoked key', async () => {
    const { id, key } = await createKey(server)
    expect(await statusForKey(otherServer, key)).toBe(200)
    await server.request('DELETE', `/v1/settings/api-keys/${id}`)
    await expect.poll(() => statusForKey(otherServer, key)).toBe(401)
  })

  it('reads from the database while its LISTEN connection is lost', async () => {
    const { flow } = await createFlow(server)
    const path = pathOf(flow)
    expect((await otherServer.request('GET', path)).json.name).toBe('Operations')
    await onDatabase(server.database, async (query) => {
      await query(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'flowpost-listen'`,
      )
      await expect.poll(() => otherServer.logged.some((line) => line.includes('LISTEN connection lost'))).toBe(true)
      // Changes made directly in the database are not published.
      for (const name of ['second', 'third']) {
        await query('update flows set name = $1 where name <> $1', [name])
        expect((await otherServer.request('GET', path)).json.name).toBe(name)
      }
    })
  })
})
