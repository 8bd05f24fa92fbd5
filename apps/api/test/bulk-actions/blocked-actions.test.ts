import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, expect, inject, it } from 'vitest'
import type { Database } from '../../src/database/database.ts'
import { getBulkAction } from '../../src/features/bulk-actions/bulk-action.queries.ts'
import { createBulkActionRunner } from '../../src/features/bulk-actions/bulk-action-runner.ts'
import { createBulkAction } from '../../src/features/bulk-actions/create-bulk-action.ts'
import { createQueue } from '../../src/features/delivery/queue/queue.ts'
import { createQueueLimit } from '../../src/features/delivery/queue/queue-limit.ts'
import { systemClock } from '../../src/shared/clock.ts'
import { toId } from '../../src/shared/ids.ts'
import { recordTestEvents, testRecipients } from '../support/test-recipients.ts'
import { addFailedDeliveries } from './failed-deliveries.ts'
import { openTemplateDatabase, principal, type TemplateDatabase } from './template-database.ts'

const log = pino({ level: 'silent' })

let opened: TemplateDatabase
let database: Database

beforeAll(async () => {
  opened = await openTemplateDatabase()
  database = opened.database
  await addFailedDeliveries(database.query, 5, (number) => `${number}@example.com`)
})
afterAll(() => opened?.[Symbol.asyncDispose]())
beforeEach(() => database.query('delete from bulk_actions'))

const create = (action: 'retry' | 'cancel') =>
  database.transaction((on) => createBulkAction(on, systemClock, principal, { action, filter: opened.filter }, { requestId: 'r1' }))
const statusOf = async ({ id }: { id: string }) => (await getBulkAction(database, principal, toId('bulkAction', id))).status

it('actions that wait for a full queue do not delay others', async () => {
  const blocked = []
  for (let count = 0; count < 9; count += 1) blocked.push(await create('retry'))
  const cancellation = await create('cancel')
  const queue = createQueue({ database, log })
  const runner = createBulkActionRunner({
    database,
    clock: systemClock,
    queue,
    queueLimit: createQueueLimit({ queue, limit: 0, log }),
    random: Math.random,
    logContent: true,
    recipients: testRecipients,
    recordEvents: recordTestEvents,
    log,
    maxPending: 1_000,
  })
  const startedMs = performance.now()
  runner.start()
  await expect.poll(() => statusOf(cancellation)).toBe('done')
  // A pause of a second for each blocked action would take nine seconds.
  expect(performance.now() - startedMs).toBeLessThan(6_000)
  await runner.stop()
  expect(await Promise.all(blocked.map(statusOf))).toEqual(Array(9).fill('running'))
})

it.runIf(inject('postgres'))('concurrent requests cannot exceed the limit of running actions (needs PostgreSQL)', async () => {
  for (let count = 0; count < 9; count += 1) await create('retry')
  // Each transaction stays open after its insert, so that the others would count the actions before it commits.
  const createSlowly = () =>
    database.transaction(async (on) => {
      await createBulkAction(on, systemClock, principal, { action: 'retry', filter: opened.filter }, { requestId: 'r1' })
      await on.query('select pg_sleep(0.1)')
    })
  const results = await Promise.allSettled([createSlowly(), createSlowly(), createSlowly()])
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected'])
  expect(await database.query('select count(*)::int as count from bulk_actions')).toEqual([{ count: 10 }])
})
