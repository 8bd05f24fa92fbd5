import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import type { Database } from '../../src/database/database.ts'
import { getBulkAction } from '../../src/features/bulk-actions/bulk-action.queries.ts'
import { type BulkActionRow, toBulkAction } from '../../src/features/bulk-actions/bulk-action.serializer.ts'
import { createBulkAction } from '../../src/features/bulk-actions/create-bulk-action.ts'
import type { BulkActionBody } from '../../src/features/bulk-actions/resolve-range.ts'
import { runStep, type StepDeps, type StepResult } from '../../src/features/bulk-actions/run-step.ts'
import { stopBulkAction, stopBulkActionsBefore } from '../../src/features/bulk-actions/stop-bulk-action.ts'
import { completionChannel } from '../../src/features/delivery/completion-watch.ts'
import { createQueue, type Queue } from '../../src/features/delivery/queue/queue.ts'
import { createQueueLimit } from '../../src/features/delivery/queue/queue-limit.ts'
import { systemClock } from '../../src/shared/clock.ts'
import { fromId, toId } from '../../src/shared/ids.ts'
import { resetTables } from '../support/reset-tables.ts'
import { recordTestEvents, testRecipients } from '../support/test-recipients.ts'
import { addFailedDeliveries } from './failed-deliveries.ts'
import { openTemplateDatabase, principal, type TemplateDatabase } from './template-database.ts'

const log = pino({ level: 'silent' })

let opened: TemplateDatabase
let database: Database
let queue: Queue
let filter: BulkActionBody['filter']

beforeAll(async () => {
  opened = await openTemplateDatabase()
  database = opened.database
  filter = opened.filter
  queue = createQueue({ database, log })
})
afterAll(() => opened[Symbol.asyncDispose]())

const failedCount = 25
beforeEach(async () => {
  await database.query('delete from bulk_actions')
  await database.query('delete from delivery_jobs')
  await database.query(`delete from notifications where reference is distinct from 'template'`)
  await database.query('delete from deliveries where notification_id not in (select id from notifications)')
  await addFailedDeliveries(database.query, failedCount, (number) => `${number}@example.com`)
})

const create = (fields: Partial<BulkActionBody> = {}): Promise<BulkActionRow> =>
  database.transaction((on) => createBulkAction(on, systemClock, principal, { action: 'retry', filter, ...fields }, { requestId: 'r1' }))

const step = (fields: Partial<StepDeps> = {}): Promise<StepResult> => {
  const queueLimit = createQueueLimit({ queue, limit: 1_000, log })
  const deps = {
    database,
    clock: systemClock,
    queue,
    queueLimit,
    random: Math.random,
    logContent: true,
    recipients: testRecipients,
    recordEvents: recordTestEvents,
  }
  return runStep({ ...deps, maxDeliveries: 10, ...fields })
}

const read = async ({ id }: { id: string }) => toBulkAction(await getBulkAction(database, principal, toId('bulkAction', id)))

const countByStatus = async (): Promise<Record<string, number>> => {
  const rows = await database.query<{ status: string; count: number }>(
    `select status, count(*)::int as count from deliveries where target <> 'ops@example.com' group by 1`,
  )
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
}

/** Marks all queued deliveries as sent, as a worker would. */
const sendQueued = () => database.query(`update deliveries set status = 'sent' where status = 'queued'`)

it('queues a limited number of deliveries, with the lowest priority, and waits until they have started', async () => {
  const action = await create()
  expect(await step()).toMatchObject({ kind: 'changed', isDone: false, queued: 10 })
  expect(await read(action)).toMatchObject({ status: 'running', matched: 10, done: 10, skipped: 0 })
  const jobs = await database.query('select priority, request_id from delivery_jobs group by 1, 2')
  expect(jobs).toEqual([{ priority: -20, request_id: 'r1' }])

  const startedMs = performance.now()
  expect(await step()).toEqual({ kind: 'postponed' })
  await database.query(`update bulk_actions set next_step_at = next_step_at + interval '1 minute'`)
  const idle = await step()
  expect(idle.kind === 'idle' && (idle.waitMs ?? 0) + performance.now() - startedMs).toBeGreaterThan(60_190)
  expect(await countByStatus()).toEqual({ queued: 10, failed: 15 })

  // The oldest deliveries are queued first.
  const [mixed] = await database.query<{ mixed: boolean }>(
    `select max(id::text) filter (where status = 'queued') > min(id::text) filter (where status = 'failed' and target <> 'ops@example.com') as mixed
     from deliveries`,
  )
  expect(mixed).toEqual({ mixed: false })
  await database.query(`update deliveries set status = 'sending' where id in (select id from deliveries where status = 'queued' limit 4)`)
  await database.query(`update bulk_actions set next_step_at = now() - interval '1 second'`)
  expect(await step()).toMatchObject({ kind: 'changed', queued: 4 })
  await sendQueued()
  expect(await step()).toMatchObject({ kind: 'changed', queued: 10, isDone: false })
  await sendQueued()
  expect(await step()).toMatchObject({ kind: 'changed', queued: 1, isDone: true })
  expect(await read(action)).toMatchObject({ status: 'done', matched: 25, done: 25, skipped: 0, completed_at: expect.any(String) })
  expect(await step()).toEqual({ kind: 'idle', waitMs: undefined })
})

it("queues deliveries at once although the API's clock is ahead of the database's clock", async () => {
  const hourMs = 3_600_000
  const ahead = { now: () => new Date(Date.now() + hourMs) }
  await database.transaction((on) => createBulkAction(on, ahead, principal, { action: 'retry', filter }, { requestId: 'r1' }))
  expect(await step()).toMatchObject({ kind: 'changed', isDone: false, queued: 10 })
  expect(await step()).toEqual({ kind: 'postponed' })
  const [jobs] = await database.query<{ due: boolean }>('select bool_and(due_at <= now()) as due from delivery_jobs')
  expect(jobs).toEqual({ due: true })
})

it("reads a project's notifications with the index on the project", async () => {
  await create({ filter: { ...filter, failure_kind: 'provider' } })
  const statements: [string, readonly unknown[]][] = []
  const transaction: Database['transaction'] = (work) =>
    database.transaction((on) => {
      const query: typeof on.query = (statement, values = []) => {
        if (typeof statement === 'string') statements.push([statement, values])
        return on.query(statement, values)
      }
      return work({ ...on, query })
    })
  await step({ database: { ...database, transaction } })
  const [page = ['', []]] = statements.filter(([text]) => text.includes('examined as'))
  for (const prepare of [() => resetTables(database.query, ['notifications', 'deliveries']), () => database.query('analyze')]) {
    await prepare()
    const plan = await database.query<{ 'QUERY PLAN': string }>(`explain (costs off) ${page[0]}`, page[1])
    const scans = plan.map((row) => row['QUERY PLAN'].trim()).filter((line) => /Scan .*on (notifications|deliveries)/.test(line))
    expect(scans).toEqual([
      expect.stringContaining('notifications_project_id_id_index on notifications n'),
      expect.stringContaining('deliveries_notification_id_id_index on deliveries d'),
    ])
  }
})

it('stores the position and the changes together, or neither', async () => {
  const action = await create()
  const before = await database.query('select * from bulk_actions')
  const enqueue = async () => {
    throw new Error('killed')
  }
  await expect(step({ queue: { ...queue, enqueue } })).rejects.toThrow('killed')
  expect(await database.query('select * from bulk_actions')).toEqual(before)
  expect(await countByStatus()).toEqual({ failed: 25 })
  await step({ maxDeliveries: 500 })
  expect(await read(action)).toMatchObject({ status: 'done', done: 25 })
  expect(await countByStatus()).toEqual({ queued: 25 })
})

it('changes nothing while the queue is full', async () => {
  const action = await create()
  const queueLimit = createQueueLimit({ queue, limit: 10, log })
  await expect(step({ queueLimit })).rejects.toMatchObject({ code: 'queue_full' })
  expect(await countByStatus()).toEqual({ failed: 25 })
  expect(await read(action)).toMatchObject({ matched: 0 })
})

it('examines a limited number of notifications, however few match', async () => {
  await addFailedDeliveries(database.query, 2_500, (number) => `more-${number}@example.com`)
  const action = await create({ filter: { ...filter, failure_code: 'rate_limited' } })
  expect(await step()).toMatchObject({ kind: 'changed', isDone: false })
  expect(await step()).toMatchObject({ kind: 'changed', isDone: true })
  expect(await read(action)).toMatchObject({ status: 'done', matched: 0 })
})

it('continues within a notification that has more deliveries than a step changes', async () => {
  await database.query(
    `update deliveries set notification_id = (select max(notification_id::text)::uuid from deliveries) where target <> 'ops@example.com'`,
  )
  await database.query(
    `update message_bodies b set notification_id = d.notification_id from deliveries d where d.id = b.delivery_id and d.target <> 'ops@example.com'`,
  )
  const action = await create()
  for (const queued of [10, 10, 5]) {
    expect(await step()).toMatchObject({ queued })
    await sendQueued()
  }
  expect(await read(action)).toMatchObject({ status: 'done', matched: 25, done: 25 })
})

it('wakes the requests that wait for an action that is stopped after a restore', async () => {
  const [{ id }, announced] = [await create(), vi.fn()]
  const stop = await database.listen(completionChannel, announced, () => {})
  await stopBulkActionsBefore(database, systemClock, new Date(Date.now() + 60_000))
  await expect.poll(() => announced.mock.calls).toEqual([[id]])
  await stop()
})

it('changes nothing after the action was stopped', async () => {
  const action = await create()
  await step()
  const { row, stopped } = await database.transaction((on) => stopBulkAction(on, systemClock, principal, toId('bulkAction', action.id)))
  expect(stopped).toBe(true)
  expect(toBulkAction(row)).toMatchObject({ status: 'stopped', done: 10, completed_at: expect.any(String) })
  await sendQueued()
  expect(await step()).toEqual({ kind: 'idle', waitMs: undefined })
  expect(await countByStatus()).toEqual({ sent: 10, failed: 15 })
})

it('lets actions take turns', async () => {
  const second = { ...filter, failure_code: 'rate_limited' }
  const [one, other] = [await create(), await create({ filter: second })]
  const picked: string[] = []
  const onPick = (id: string) => void picked.push(id)
  await step({ onPick })
  await step({ onPick })
  expect(picked).toEqual([one.id, other.id])
})

it('skips every delivery when the project was deleted', async () => {
  const action = await create()
  await database.transaction(async (on) => {
    await on.query(`create temp table kept as select * from projects where id = $1`, [fromId('project', filter.project_id)])
    await on.query('create temp table kept_flows as select * from flows')
    await on.query('delete from projects')
  })
  await step({ maxDeliveries: 500 })
  expect(await read(action)).toMatchObject({ status: 'done', matched: 25, done: 0, skipped: 25 })
  await database.query('insert into projects select * from kept')
  await database.query('insert into flows select * from kept_flows')
})

it('spreads the due times over the seconds that are left, but not past the expiry of a notification', async () => {
  await database.query(`update notifications set expires_at = now() + interval '100 seconds' where reference is null`)
  await create({ spread_seconds: 1_000 })
  let number = 0
  const random = () => (number++ % 10) / 10
  await step({ random, maxDeliveries: 500 })
  const rows = await database.query<{ inSeconds: number; shown: boolean }>(
    `select round(extract(epoch from j.due_at - now()))::int as "inSeconds", d.next_attempt_at = j.due_at as shown
     from delivery_jobs j join deliveries d on d.id = j.delivery_id order by 1`,
  )
  expect(rows).toHaveLength(25)
  expect(rows.every(({ shown }) => shown)).toBe(true)
  expect(rows[0]?.inSeconds).toBeLessThan(2)
  expect(rows.at(-1)?.inSeconds).toBeGreaterThan(90)
  expect(rows.at(-1)?.inSeconds).toBeLessThan(102)
})
