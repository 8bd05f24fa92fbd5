import { expect, inject, it } from 'vitest'
import { onDatabase } from './support/direct-database.ts'
import { createEmailProvider } from './support/email-provider.ts'
import { createFlow, send } from './support/resources.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

const messages = 400
const deadlocks = 'select deadlocks::int as count from pg_stat_database where datname = current_database()'

/** Creates a provider. If `stalls`, its sends stay in flight until `release` is called. */
const createProvider = (id: string, stalls: boolean) => {
  const released = Promise.withResolvers<void>()
  const started: string[] = []
  const provider = createEmailProvider(id, async (target) => {
    started.push(target)
    if (stalls) await released.promise
  })
  return { provider, started, release: released.resolve }
}

const startServer = async () => {
  const stalling = createProvider('stalling', true)
  const quick = createProvider('quick', false)
  const server = await startTestServer({
    providers: [stalling.provider, quick.provider],
    env: {
      FLOWPOST_CAPTURE: 'off',
      FLOWPOST_RATE_LIMIT: 'off',
      FLOWPOST_SMTP_CONNECTIONS: '50',
      FLOWPOST_ENCRYPTION_KEY: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
    },
  })
  const { project } = await createFlow(server, { source_type: 'stalling', target: 'a', override_target: true })
  await server.request('PUT', `/v1/settings/projects/${project.id}/integrations/stalling`, { json: { settings: {}, secrets: {} } })
  const sendAll = async (fields: object = {}) => {
    const target = Array.from({ length: 100 }, (_, number) => `stall-${number}`).join(';')
    for (let sent = 0; sent < messages; sent += 100) await send(server, project.id, { target, ...fields })
  }
  return { server, stalling, path: `/v1/settings/projects/${project.id}`, sendAll, sendAsBob: await createSenderBob(server) }
}

/**
 * Creates a project for another user. Returns a function that sends a message in that project, and resolves with the message's
 * latency in milliseconds.
 */
const createSenderBob = async (server: TestServer): Promise<() => Promise<number>> => {
  const key = server.keys.bob
  const { json: project } = await server.request('POST', '/v1/settings/projects', { json: { name: "bob's" }, key })
  const path = `/v1/settings/projects/${project.id}`
  await server.request('PUT', `${path}/integrations/quick`, { json: { settings: {}, secrets: {} }, key })
  await server.request('POST', `${path}/flows`, { json: { name: 'f', source_type: 'quick', target: 'b' }, key })
  return async () => {
    const startedMs = performance.now()
    const sent = await server.request('POST', '/v1/notifications', { json: { project_id: project.id, subject: 's', message: 'm' }, key })
    const { json } = await server.request('GET', `/v1/notifications/${sent.json.id}?wait=20`, { key })
    expect(json.status).toBe('sent')
    return performance.now() - startedMs
  }
}

it("delays other users' messages by less than a second while a project with 400 open messages is deleted", async () => {
  const { server, stalling, path, sendAll, sendAsBob } = await startServer()
  await using _ = server
  await sendAll()
  await expect.poll(() => stalling.started.length).toBe(100)
  const before: number[] = []
  for (let sent = 0; sent < 10; sent += 1) before.push(await sendAsBob())

  let isDeleted = false
  const deleting = server.request('DELETE', path).finally(() => {
    isDeleted = true
  })
  const during: number[] = []
  while (!isDeleted || during.length < 10) during.push(await sendAsBob())
  expect((await deleting).status).toBe(204)
  // A slow machine delays every message, with or without a deletion.
  expect(Math.max(...during)).toBeLessThan(1_000 + 5 * Math.max(...before))
  stalling.release()
})

// On the embedded database, transactions run one after the other.
it.runIf(inject('postgres'))("sends other users' messages while a deletion holds locks on 400 due messages", async () => {
  const { server, stalling, path, sendAll, sendAsBob } = await startServer()
  await using _ = server
  await sendAll({ send_at: new Date(Date.now() + 3_600_000).toISOString() })
  await onDatabase(server.database, async (query) => {
    // Blocks the deletion after it has locked the notifications and before it cancels their deliveries. Workers can claim the
    // jobs at that point.
    await query(`create function block() returns trigger language plpgsql as $$ begin perform pg_advisory_xact_lock(1); return new; end $$`)
    await query(`create trigger block before update on deliveries for each row when (new.status = 'canceled') execute function block()`)
    await query('select pg_advisory_lock(1)')
    const deleting = server.request('DELETE', path)
    const blocked = `select count(*)::int as count from pg_locks where locktype = 'advisory' and not granted and database =
      (select oid from pg_database where datname = current_database())`
    await expect.poll(async () => (await query<{ count: number }>(blocked))[0]?.count).toBe(1)
    await query('update delivery_jobs set due_at = now()')
    for (let sent = 0; sent < 20; sent += 1) await sendAsBob()
    await query('select pg_advisory_unlock(1)')
    expect((await deleting).status).toBe(204)
    expect(await query(deadlocks)).toEqual([{ count: 0 }])
  })
  expect(stalling.started).toEqual([])
})
