import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StoreItem, storeNotifications } from '../src/features/notifications/store-notifications.ts'
import { newUuid, type Uuid } from '../src/shared/ids.ts'
import { onDatabase } from './support/direct-database.ts'
import { openTestDatabase } from './support/open-database.ts'
import { createFlow } from './support/resources.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

let server: TestServer
let projectId: string

beforeAll(async () => {
  const first = await startTestServer()
  await first.stop()
  // Only the database checks this constraint, so the insert fails after validation.
  await onDatabase(first.database, (query) => query(`alter table message_bodies add check (subject is distinct from 'poison')`))
  server = await first.restart({ env: { FLOWPOST_RATE_LIMIT: 'off' } })
  projectId = (await createFlow(server)).project.id
})
afterAll(() => server[Symbol.asyncDispose]())

// The messages are scheduled for this time, so that no delivery starts during the test.
const later = new Date(Date.now() + 3_600_000).toISOString()

const post = (subject: string, options: { key?: string; project?: string } = {}) =>
  server.request('POST', '/v1/notifications', {
    json: { project_id: options.project ?? projectId, subject, message: 'm', send_at: later },
    ...(options.key === undefined ? {} : { headers: { 'Idempotency-Key': options.key } }),
  })

/** Returns the subjects of all notifications in the project. */
const storedSubjects = async (): Promise<string[]> => {
  const { json } = await server.request('GET', `/v1/notifications?project_id=${projectId}&limit=1000`)
  return json.data.map(({ subject }: { subject: string }) => subject).sort()
}

const numbered = (prefix: string, count: number) => Array.from({ length: count }, (_, number) => `${prefix}-${100 + number}`)

describe('concurrent sends', () => {
  it('stores the other notifications once each when one cannot be stored', async () => {
    const subjects = numbered('neighbor', 60)
    const [rejected, ...responses] = await Promise.all([post('poison'), ...subjects.map((name) => post(name))])
    expect(rejected.status).toBe(500)
    expect(responses.map(({ status }) => status)).toEqual(subjects.map(() => 202))
    expect((await storedSubjects()).filter((name) => name.startsWith('neighbor'))).toEqual(subjects)
  })

  it('stores the other notifications once each when one reuses an idempotency key', async () => {
    expect((await post('first', { key: 'used' })).status).toBe(202)
    const subjects = numbered('keyed', 40)
    const [reused, replayed, ...responses] = await Promise.all([
      post('second', { key: 'used' }),
      post('first', { key: 'used' }),
      ...subjects.map((name) => post(name, { key: name })),
    ])
    expect([reused.status, reused.json.code]).toEqual([422, 'idempotency_key_reused'])
    expect([replayed.status, replayed.headers.get('idempotency-replayed')]).toEqual([202, 'true'])
    expect(responses.map(({ status }) => status)).toEqual(subjects.map(() => 202))
    const repeated = await Promise.all(subjects.map((name) => post(name, { key: name })))
    expect(repeated.map(({ json }) => json.id)).toEqual(responses.map(({ json }) => json.id))
    expect((await storedSubjects()).filter((name) => name.startsWith('keyed'))).toEqual(subjects)
  })

  it('stores the other notifications of a batch once each when one cannot be stored', async () => {
    const subjects = ['poison', ...numbered('in-batch', 30)]
    const notifications = subjects.map((subject) => ({ project_id: projectId, subject, message: 'm', send_at: later }))
    const { status, json } = await server.request('POST', '/v1/notifications/batch', { json: { notifications } })
    expect(status).toBe(200)
    expect(json.results[0]).toMatchObject({ status: 500, problem: { code: 'internal' } })
    expect(json.results.slice(1).map((result: { status: number }) => result.status)).toEqual(subjects.slice(1).map(() => 202))
    expect((await storedSubjects()).filter((name) => name.startsWith('in-batch'))).toEqual(subjects.slice(1))
  })

  it('stores one notification for all requests with the same idempotency key', async () => {
    const responses = await Promise.all(Array.from({ length: 30 }, () => post('once', { key: 'once' })))
    const codes = responses.map(({ status, json }) => (status === 202 ? json.id : json.code))
    const [id] = codes.filter((code) => code.startsWith('ntf_'))
    expect(new Set(codes.filter((code) => code !== 'idempotency_in_progress'))).toEqual(new Set([id]))
    expect((await storedSubjects()).filter((name) => name === 'once')).toHaveLength(1)
  })
})

it('cancels every notification that was accepted while its project was being deleted', async () => {
  const { project } = await createFlow(server)
  const accepted: string[] = []
  const sendUntilDeleted = async () => {
    for (let status = 202; status === 202; ) {
      const response = await post('deleted', { project: project.id })
      status = response.status
      if (status === 202) accepted.push(response.json.id)
      else expect(status).toBe(404)
    }
  }
  const senders = Array.from({ length: 20 }, sendUntilDeleted)
  await expect.poll(() => accepted.length).toBeGreaterThan(100)
  expect((await server.request('DELETE', `/v1/settings/projects/${project.id}`)).status).toBe(204)
  await Promise.all(senders)
  for (const id of accepted) expect((await server.request('GET', `/v1/notifications/${id}`)).json.status).toBe('canceled')
})

it('stores neither a notification nor its idempotency key when another process has deleted a flow', async () => {
  await server.stop()
  const database = await openTestDatabase(server.database)
  try {
    const [flow] = await database.query<{ id: Uuid; project_id: Uuid }>('select id, project_id from flows limit 1')
    if (!flow) throw new Error('There is no flow.')
    const createItem = (flowIds: readonly Uuid[], key: string): StoreItem => {
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
      const prepared = { notification, deliveries, userId: 'alice', projectId: flow.project_id }
      return { prepared, priority: 0, storedResponse, origin: { requestId: key } } as never
    }
    const items = [createItem([flow.id], '1'), createItem([flow.id, newUuid()], '2')]
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
