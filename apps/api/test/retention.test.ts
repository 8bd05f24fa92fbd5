import { describe, expect, it } from 'vitest'
import { toId, type Uuid } from '../src/shared/ids.ts'
import { createKey, createProject, statusForKey } from './support/api-keys.ts'
import { onDatabase } from './support/direct-database.ts'
import { createFlow, flowPath, readCompleted, send } from './support/resources.ts'
import { revokeAsOperator } from './support/revoke-as-operator.ts'
import { createTestDatabase } from './support/test-database.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

const dayMs = 24 * 3_600_000

const afterDays = (days: number) => ({ now: () => new Date(Date.now() + days * dayMs) })

const bootstrapKeyOf = async (server: TestServer, key: string): Promise<{ id: string }> =>
  (await server.request('GET', '/v1/settings/api-keys', { key })).json.data.find(({ name }: { name: string }) => name === 'bootstrap')

describe('notification retention', () => {
  it('deletes the subject and message after 30 days, but not the log', async () => {
    await using server = await startTestServer()
    const { project } = await createFlow(server)
    const { id } = await send(server, project.id)
    await readCompleted(server, id)
    await server.stop()

    await using later = await server.restart({ clock: afterDays(31) })
    await expect.poll(async () => (await later.request('GET', `/v1/notifications/${id}`)).json.subject).toBeNull()
    const { json } = await later.request('GET', `/v1/notifications/${id}`)
    expect(json).toMatchObject({ status: 'sent', deliveries: [{ status: 'sent', attempts: [{ outcome: 'captured' }] }] })
    expect((await later.request('POST', `/v1/notifications/${id}/retry`)).json.code).toBe('not_retryable')
    // Another step of the retention deletes the captured message.
    await expect.poll(async () => (await later.openOutbox('')).text).not.toContain(json.deliveries[0].id)
  })

  it('deletes the log after 90 days', async () => {
    await using server = await startTestServer()
    const { project } = await createFlow(server)
    const { id } = await send(server, project.id)
    await readCompleted(server, id)
    await server.stop()

    await using later = await server.restart({ clock: afterDays(91) })
    await expect.poll(async () => (await later.request('GET', `/v1/notifications/${id}`)).status).toBe(404)
  })
})

describe('settings retention', () => {
  it('deletes the history after 400 days, and then rejects times that the history no longer covers', async () => {
    await using server = await startTestServer({ env: { FLOWPOST_RETENTION_LOG_DAYS: '1000' } })
    const { project, flow } = await createFlow(server)
    const { id } = await send(server, project.id)
    const patched = await server.request('PATCH', flowPath(flow), { json: { name: 'Renamed' } })
    const at = (on: TestServer, time: string) => on.request('GET', `${flowPath(flow)}?at=${encodeURIComponent(time)}`)
    await server.stop()

    await using kept = await server.restart({ clock: afterDays(399) })
    expect((await kept.request('GET', '/v1/settings/history')).json.data).toHaveLength(3)
    expect((await at(kept, flow.updated_at)).json).toEqual(flow)
    await kept.stop()
    await using later = await server.restart({ clock: afterDays(401) })
    await expect.poll(async () => (await later.request('GET', '/v1/settings/history')).json.data).toEqual([])
    expect((await at(later, flow.updated_at)).json.errors[0]).toMatchObject({ pointer: '/at', code: 'too_small' })
    expect((await at(later, new Date(Date.now() + 2 * dayMs).toISOString())).json).toEqual(patched.json)
    expect((await later.request('GET', `/v1/notifications/${id}/explanation`)).json.unknown.code).toBe('before_history')
  })
})

describe('API key retention', () => {
  it('deletes keys that expired or were revoked more than 90 days ago, except revoked bootstrap keys', async () => {
    await using server = await startTestServer({ database: await createTestDatabase() })
    const [valid, revoked, parent] = [await createKey(server), await createKey(server), await createKey(server, { name: 'parent' })]
    const expired = await createKey(server, { expires_at: new Date(Date.now() + 3_600_000).toISOString() })
    const notExpired = await createKey(server, { expires_at: new Date(Date.now() + 100 * dayMs).toISOString() })
    const child = await createKey(server, {}, parent.key)
    for (const { id } of [revoked, parent]) await server.request('DELETE', `/v1/settings/api-keys/${id}`)
    await revokeAsOperator(server.database, (await bootstrapKeyOf(server, server.keys.bob)).id)
    await server.stop()

    const later = await server.restart({ clock: afterDays(91) })
    const listIds = async () => (await later.request('GET', '/v1/settings/api-keys')).json.data.map(({ id }: { id: string }) => id)
    await expect.poll(listIds).not.toContain(expired.id)
    expect(await listIds()).toEqual(expect.arrayContaining([valid.id, notExpired.id]))
    expect(await statusForKey(later, valid.key)).toBe(200)
    // The environment still lists this key. Without its row, the next start would create it again.
    expect(await statusForKey(later, server.keys.bob)).toBe(401)
    await later.stop()
    const rows = await onDatabase(server.database, (query) => query<{ id: string }>('select id from api_keys'))
    const remainingIds = rows.map(({ id }) => toId('apiKey', id as Uuid))
    expect(remainingIds).toEqual(expect.arrayContaining([valid.id, notExpired.id]))
    for (const { id } of [expired, revoked, parent, child]) expect(remainingIds).not.toContain(id)
    expect(rows).toHaveLength(4)
  })

  it('keeps revoked keys that FLOWPOST_BOOTSTRAP_KEYS lists, even if their project is deleted', async () => {
    await using server = await startTestServer({ database: await createTestDatabase() })
    const project_id = await createProject(server, 'billing')
    const [child, bound, unlisted] = [await createKey(server), await createKey(server, { project_id }), await createKey(server)]
    for (const { id } of [child, bound, unlisted]) await server.request('DELETE', `/v1/settings/api-keys/${id}`)
    await server.stop()
    const env = { FLOWPOST_BOOTSTRAP_KEYS: [server.keys.alice, child.key, bound.key].map((key) => `alice:${key}`).join() }
    const listing = await server.restart({ env })
    expect((await listing.request('DELETE', `/v1/settings/projects/${project_id}`)).status).toBe(204)
    await listing.stop()
    const later = await server.restart({ env, clock: afterDays(91) })
    await expect.poll(() => later.logged.join('')).toContain('"step":"apiKeys"')
    await later.stop()
    // Without the keys' rows, this start would create them again.
    await using last = await server.restart({ env, clock: afterDays(91) })

    expect(await Promise.all([child, bound].map(({ key }) => statusForKey(last, key)))).toEqual([401, 401])
  })
})
