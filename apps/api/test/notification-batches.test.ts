import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openEmbedded } from '../src/database/embedded.ts'
import { openPostgres } from '../src/database/postgres.ts'
import { entities } from '../src/entities.ts'
import { type StoreItem, storeNotifications } from '../src/features/notifications/store-notifications.ts'
import { newUuid, type Uuid } from '../src/shared/ids.ts'
import { onDatabase } from './support/direct-database.ts'
import { createFlow } from './support/resources.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

let server: TestServer
let projectId: string

beforeAll(async () => {
  const first = await startTestServer()
  await first.stop()
  // Something that no validation knows, so that it is found out while storing.
  await onDatabase(first.database, (query) => query(`alter table message_bodies add check (subject is distinct from 'poison')`))
  server = await first.restart({ env: { FLOWPOST_RATE_LIMIT: 'off' } })
  projectId = (await createFlow(server)).project.id
})
afterAll(() => server[Symbol.asyncDispose]())

// Nothing is to be sent meanwhile.
const later = new Date(Date.now() + 3_600_000).toISOString()

const post = (subject: string, options: { key?: string; project?: string } = {}) =>
  server.request('POST', '/v1/notifications', {
    json: { project_id: options.project ?? projectId, subject, message: 'm', send_at: later },
    ...(options.key === undefined ? {} : { headers: { 'Idempotency-Key': options.key } }),
  })

/** The subjects of all notifications of the project. */
const storedSubjects = async (): Promise<string[]> => {
  const { json } = await server.request('GET', `/v1/notifications?project_id=${projectId}&limit=1000`)
  return json.data.map(({ subject }: { subject: string }) => subject).sort()
}

const names = (prefix: string, count: number) => Array.from({ length: count }, (_, number) => `${prefix}-${100 + number}`)

describe('notifications that come at once', () => {
  it('are each stored once, although one of them cannot be', async () => {
    const good = names('neighbour', 60)
    const [bad, ...answers] = await Promise.all([post('poison'), ...good.map((name) => post(name))])
    expect(bad.status).toBe(500)
    expect(answers.map(({ status }) => status)).toEqual(good.map(() => 202))
    expect((await storedSubjects()).filter((name) => name.startsWith('neighbour'))).toEqual(good)
  })

  it('are each stored once, although the key of one of them was used for something else', async () => {
    expect((await post('first', { key: 'used' })).status).toBe(202)
    const good = names('keyed', 40)
    const [reused, replayed, ...answers] = await Promise.all([
      post('second', { key: 'used' }),
      post('first', { key: 'used' }),
      ...good.map((name) => post(name, { key: name })),
    ])
    expect([reused.status, reused.json.code]).toEqual([422, 'idempotency_key_reused'])
    expect([replayed.status, replayed.headers.get('idempotency-replayed')]).toEqual([202, 'true'])
    expect(answers.map(({ status }) => status)).toEqual(good.map(() => 202))
    const again = await Promise.all(good.map((name) => post(name, { key: name })))
    expect(again.map(({ json }) => json.id)).toEqual(answers.map(({ json }) => json.id))
    expect((await storedSubjects()).filter((name) => name.startsWith('keyed'))).toEqual(good)
  })

  it('under one key are one', async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, () => post('once', { key: 'once' })))
    const codes = answers.map(({ status, json }) => (status === 202 ? json.id : json.code))
    const [id] = codes.filter((code) => code.startsWith('ntf_'))
    expect(new Set(codes.filter((code) => code !== 'idempotency_in_progress'))).toEqual(new Set([id]))
    expect((await storedSubjects()).filter((name) => name === 'once')).toHaveLength(1)
  })
})

it('a project that is deleted while notifications are accepted leaves none of them to be sent', async () => {
  const { project } = await createFlow(server)
  const accepted: string[] = []
  let deleted = false
  const keepSending = async () => {
    for (let status = 202; status === 202; ) {
      const answer = await post('deleted', { project: project.id })
      status = answer.status
      if (status === 202) accepted.push(answer.json.id)
      else expect([status, deleted || 'deleting']).toEqual([404, expect.anything()])
    }
  }
  const senders = Array.from({ length: 20 }, keepSending)
  await expect.poll(() => accepted.length, { timeout: 20_000 }).toBeGreaterThan(100)
  expect((await server.request('DELETE', `/v1/settings/projects/${project.id}`)).status).toBe(204)
  deleted = true
  await Promise.all(senders)
  for (const id of accepted) expect((await server.request('GET', `/v1/notifications/${id}`)).json.status).toBe('canceled')
})

it('a message for a flow that another process has just deleted is stored neither for it nor under its key', async () => {
  const { url, dataDir } = server.database
  await server.stop()
  const database =
    url === undefined
      ? await openEmbedded({ dataDir, entities })
      : await openPostgres({ url, entities, poolSize: 2, log: pino({ level: 'silent' }) })
  try {
    const [flow] = await database.query<{ id: Uuid; project_id: Uuid }>('select id, project_id from flows limit 1')
    if (!flow) throw new Error('There is no flow.')
    const itemOf = (flowIds: readonly Uuid[], key: string): StoreItem => {
      const id = newUuid()
      const created_at = new Date()
      const content = { subject: 's', text: 'm', html: null }
      const deliveries = flowIds.map((flow_id) => ({
        id: newUuid(),
        flow_id,
        source_type: 'smtp',
        target: 'a@example.com',
        captured: true,
        content,
      }))
      const storedResponse = {
        id: ['alice', 'POST /test', key],
        fingerprint: Buffer.alloc(32),
        lock: key,
        status: 202,
        headers: {},
        body: '',
        createdAt: created_at,
      }
      const notification = { id, project_id: flow.project_id, subject: 's', status: 'queued', created_at }
      return { prepared: { notification, deliveries, userId: 'alice', projectId: flow.project_id }, priority: 0, storedResponse } as never
    }
    const items = [itemOf([flow.id], '1'), itemOf([flow.id, newUuid()], '2')]
    expect(await storeNotifications(database, items, new Date(0))).toEqual(['stored', 'settings_gone'])
    const ids = items.map(({ prepared }) => prepared.notification.id)
    for (const [table, column] of [
      ['notifications', 'id'],
      ['deliveries', 'notification_id'],
      ['message_bodies', 'notification_id'],
    ])
      expect(await database.query(`select ${column} as id from ${table} where ${column} = any($1)`, [ids])).toEqual([{ id: ids[0] }])
    expect(await database.query(`select key from idempotency_keys where operation = 'POST /test'`)).toEqual([{ key: '1' }])
  } finally {
    await database.close()
  }
})
