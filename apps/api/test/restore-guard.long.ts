import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { detectRestore, endHold, readHold } from '../src/database/identity/stored-hold.ts'
import { cancelRestored } from '../src/features/delivery/restore/cancel-restored.ts'
import { type AfterRestore, createRestoreHold } from '../src/features/delivery/restore/restore-hold.ts'
import { systemClock } from '../src/shared/clock.ts'
import { copyDatabase } from './support/copied-database.ts'
import { onDatabase } from './support/direct-database.ts'
import { openTestDatabase } from './support/open-database.ts'
import { readCompleted } from './support/resources.ts'
import { type SmtpSink, startSmtpSink } from './support/smtp-sink.ts'
import { createTestDatabase, type TestDatabase } from './support/test-database.ts'
import { recordTestEvents, testRecipients } from './support/test-recipients.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

const later = new Date(Date.now() + 3_600_000).toISOString()
const databases: TestDatabase[] = []
let smtp: SmtpSink
beforeEach(async () => {
  smtp = await startSmtpSink()
})
afterEach(async () => {
  for (const database of databases.splice(0)) await database.remove()
  await smtp[Symbol.asyncDispose]()
})

const mailEnv = (url: string) => ({ FLOWPOST_SMTP_URL: url, FLOWPOST_EMAIL_FROM: 'a@example.com', FLOWPOST_CAPTURE: 'off' })

const createFlow = async (server: TestServer): Promise<string> => {
  const project = (await server.request('POST', '/v1/settings/projects', { json: { name: 'a' } })).json.id as string
  const flow = { name: 'mail', source_type: 'smtp', target: 'ops@example.com' }
  expect((await server.request('POST', `/v1/settings/projects/${project}/flows`, { json: flow })).status).toBe(201)
  return project
}

const send = async (server: TestServer, projectId: string, fields: object = {}): Promise<string> => {
  const json = { project_id: projectId, subject: 'Invoice', message: 'x', ...fields }
  const { status, json: sent } = await server.request('POST', '/v1/notifications', { json })
  expect(status).toBe(202)
  return sent.id
}

/** Creates a database with `count` open deliveries, all scheduled for later. */
const createOpenDeliveries = async (count: number) => {
  const database = await createTestDatabase()
  databases.push(database)
  const server = await startTestServer({ database, env: mailEnv(smtp.url) })
  const projectId = await createFlow(server)
  const ids: string[] = []
  for (let number = 0; number < count; number += 1) ids.push(await send(server, projectId, { send_at: later }))
  await server.stop()
  return { database, server, projectId, ids }
}

const readyPage = async (server: TestServer) => (await server.request('GET', '/readyz', { key: null })).text

describe('a database that was restored', () => {
  it('sends nothing until an operator cancels the restored messages, and then sends the new ones', async () => {
    const { database, server: before, projectId, ids } = await createOpenDeliveries(3)
    const copy = await copyDatabase(database)
    databases.push(copy)
    // The messages are due now. One of them was being sent during the backup.
    await onDatabase(copy, async (query) => {
      await query('update delivery_jobs set due_at = now()')
      const [delivery] = await query<{ id: string }>(
        `update deliveries set status = 'sending', attempt_count = 1, first_attempt_at = now(), attempt_id = id
         where id = (select min(id::text)::uuid from deliveries) returning id`,
      )
      await query(`insert into attempts (id, delivery_id, number, started_at, outcome) values ($1, $1, 1, now(), 'sending')`, [
        delivery?.id,
      ])
      // A bulk action that was running during the backup.
      const filter = { project_id: projectId, created_after: '2026-11-21T09:00:00.000Z', created_before: null }
      const others = { flow_id: null, source_type: null, status: null, failure_kind: null, failure_code: null }
      await query(
        `insert into bulk_actions (id, user_id, project_id, action, filter, spread_seconds, test, status, cursor_notification_id,
           cursor_delivery_id, last_notification_id, next_step_at, created_at)
         select id, user_id, project_id, 'retry', $1::jsonb, 0, false, 'running', id, id, id, now() + interval '1 hour', created_at
         from notifications limit 1`,
        [JSON.stringify({ ...filter, ...others })],
      )
    })

    const held = await before.restart({ database: copy })
    expect(await readyPage(held)).toBe('ready\non hold: no messages are sent, because the database was restored\n')
    expect((await held.request('GET', '/metrics', { key: null })).text).toContain('\nflowpost_on_hold 1\n')
    const fresh = await send(held, projectId)
    await held.stop()
    expect(held.logged.join('')).toContain('Messages are on hold. The identity of the database has changed')

    const canceling = await before.restart({ database: copy, env: { ...mailEnv(smtp.url), FLOWPOST_AFTER_RESTORE: 'cancel' } })
    expect((await readCompleted(canceling, fresh)).status).toBe('sent')
    const statuses: string[] = []
    for (const id of ids) {
      const [delivery] = (await readCompleted(canceling, id)).deliveries
      statuses.push(`${delivery.status} ${delivery.failure.code}`)
    }
    expect(statuses.sort()).toEqual(['ambiguous restored', 'canceled restored', 'canceled restored'])
    expect((await canceling.request('GET', '/v1/bulk-actions')).json.data).toMatchObject([{ status: 'stopped' }])
    expect(await readyPage(canceling)).toBe('ready\n')
    await canceling.stop()
    expect(smtp.received).toHaveLength(1)
    expect(canceling.logged.join('')).toMatch(/"canceled":3.*Canceled the deliveries that were unfinished/)

    // The decision is stored, so later starts deliver messages regardless of the setting.
    const next = await before.restart({ database: copy })
    expect(await readyPage(next)).toBe('ready\n')
    expect((await readCompleted(next, await send(next, projectId))).status).toBe('sent')
    await next.stop()
  })

  it('sends everything with FLOWPOST_AFTER_RESTORE=send, and a restart of the same database is not on hold', async () => {
    const { database, server: before } = await createOpenDeliveries(2)
    const same = await before.restart({ env: { ...mailEnv(smtp.url), FLOWPOST_AFTER_RESTORE: 'cancel' } })
    expect(await readyPage(same)).toBe('ready\n')
    await same.stop()
    expect(same.logged.join('')).toContain('FLOWPOST_AFTER_RESTORE=cancel has no effect now. Remove it')

    const copy = await copyDatabase(database)
    databases.push(copy)
    await onDatabase(copy, (query) => query('update delivery_jobs set due_at = now()'))
    const sending = await before.restart({ database: copy, env: { ...mailEnv(smtp.url), FLOWPOST_AFTER_RESTORE: 'send' } })
    await smtp.waitForMessages(2)
    await sending.stop()
  })
})

describe('the guard', () => {
  let database: Awaited<ReturnType<typeof openTestDatabase>>
  let testDatabase: TestDatabase
  const identity = { systemIdentifier: '1', databaseId: '2' }
  const detect = (found = identity, restoredAt?: Date) => detectRestore(database, found, restoredAt)
  const reasonsOf = (results: readonly { reason: string | undefined }[]) => results.map(({ reason }) => reason)

  const open = async (from: TestDatabase) => {
    testDatabase = from
    database = await openTestDatabase(from)
  }
  afterEach(() => database.close())

  it('recognizes another server, another database and restored rows, and ignores an unknown identifier', async () => {
    await open(await createTestDatabase())
    databases.push(testDatabase)
    expect(await detect()).toEqual({ hold: undefined, reason: undefined })
    expect(await detect()).toEqual({ hold: undefined, reason: undefined })
    expect(await detect({ systemIdentifier: null as never, databaseId: '2' })).toEqual({ hold: undefined, reason: undefined })
    for (const found of [
      { systemIdentifier: '3', databaseId: '2' },
      { systemIdentifier: '3', databaseId: '4' },
    ]) {
      expect((await detect(found)).reason).toBe('another_database')
      expect(await detect(found)).toEqual({ hold: { since: expect.any(Date), canceling: false }, reason: undefined })
      expect(await endHold(database)).toBe(true)
      expect(await readHold(database)).toBeUndefined()
    }
    const found = { systemIdentifier: '3', databaseId: '4' }
    // Restoring a dump inserts the row again.
    await database.query('create table dump as select * from flowpost_identity')
    await database.query('delete from flowpost_identity')
    await database.query('insert into flowpost_identity select * from dump')
    expect((await detect(found)).reason).toBe('copied_rows')
  })

  it('begins one hold for each later value of FLOWPOST_RESTORED_AT', async () => {
    await open(await createTestDatabase())
    databases.push(testDatabase)
    const [first, second] = [new Date('2026-11-01T00:00:00Z'), new Date('2026-11-02T00:00:00Z')]
    await detect()
    expect((await detect(identity, first)).reason).toBe('declared')
    await endHold(database)
    expect(await detect(identity, first)).toEqual({ hold: undefined, reason: undefined })
    expect(await detect()).toEqual({ hold: undefined, reason: undefined })
    expect((await detect(identity, second)).reason).toBe('declared')
    await endHold(database)
    expect((await detect(identity, first)).reason).toBeUndefined()
  })

  it('lets only one of several processes begin the hold, and releases each process once', async () => {
    await open(await createTestDatabase())
    databases.push(testDatabase)
    await detect()
    const other = { systemIdentifier: '9', databaseId: '2' }
    const results = await Promise.all(Array.from({ length: 4 }, () => detect(other)))
    expect(reasonsOf(results).sort()).toEqual(['another_database', undefined, undefined, undefined])
    expect(new Set(results.map(({ hold }) => hold?.since.getTime())).size).toBe(1)

    const log = pino({ level: 'silent' })
    const released: AfterRestore[] = []
    const start = async (afterRestore: AfterRestore) => {
      const deps = {
        database,
        clock: systemClock,
        log,
        identity: other,
        restoredAt: undefined,
        logContent: true,
        recipients: testRecipients,
        stopBulkActions: async () => {},
        recordEvents: recordTestEvents,
        pollMs: 5,
      }
      const hold = await createRestoreHold({ ...deps, afterRestore })
      expect(hold.isOnHold()).toBe(true)
      return { hold, run: () => hold.start(() => released.push(afterRestore)) }
    }
    const processes = [await start('hold'), await start('send'), await start('cancel'), await start('send')]
    for (const { run } of processes) run()
    await expect.poll(() => released.length).toBe(4)
    for (const { hold } of processes) {
      expect(hold.isOnHold()).toBe(false)
      await hold.stop()
    }
  })

  it('continues a cancellation whose process was killed, even with FLOWPOST_AFTER_RESTORE=hold', async () => {
    const { database: original } = await createOpenDeliveries(3)
    await open(original)
    const other = { systemIdentifier: '9', databaseId: '2' }
    const { hold } = await detect(other)
    const deps = {
      database,
      clock: systemClock,
      logContent: true,
      recipients: testRecipients,
      recordEvents: recordTestEvents,
      chunkSize: 1,
    }
    await database.query('update flowpost_identity set canceling = true, written_in = pg_current_xact_id()::text::bigint')
    const stopping = new AbortController()
    const now = () => {
      stopping.abort(new Error('killed'))
      return new Date()
    }
    const dying = { ...deps, clock: { now } }
    await expect(cancelRestored(dying, hold?.since ?? new Date(), stopping.signal)).rejects.toThrow('killed')
    expect(await database.query('select 1 from delivery_jobs')).toHaveLength(2)

    const resumed = await createRestoreHold({
      ...deps,
      log: pino({ level: 'silent' }),
      identity: other,
      stopBulkActions: async () => {},
      afterRestore: 'hold',
      restoredAt: undefined,
      pollMs: 5,
    })
    const released = Promise.withResolvers<void>()
    resumed.start(released.resolve)
    await released.promise
    expect(await database.query('select 1 from delivery_jobs')).toEqual([])
    expect(await database.query(`select 1 from notifications where status = 'canceled'`)).toHaveLength(3)
    await resumed.stop()
  })
})
