import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Principal } from '../../src/auth/principal.ts'
import type { Database } from '../../src/database/database.ts'
import { getBulkAction } from '../../src/features/bulk-actions/bulk-action.queries.ts'
import { createBulkActionRunner } from '../../src/features/bulk-actions/bulk-action-runner.ts'
import { createBulkAction } from '../../src/features/bulk-actions/create-bulk-action.ts'
import type { BulkActionBody } from '../../src/features/bulk-actions/resolve-range.ts'
import { createQueue } from '../../src/features/delivery/queue/queue.ts'
import { createQueueLimit } from '../../src/features/delivery/queue/queue-limit.ts'
import { systemClock } from '../../src/shared/clock.ts'
import { toId } from '../../src/shared/ids.ts'
import { openTestDatabase } from '../support/open-database.ts'
import { acquireDatabase } from '../support/pooled-database.ts'
import { createFlow, readCompleted, send } from '../support/resources.ts'
import type { TestDatabase } from '../support/test-database.ts'
import { recordTestEvents, testRecipients } from '../support/test-recipients.ts'
import { startTestServer } from '../support/test-server.ts'
import { addFailedDeliveries } from './failed-deliveries.ts'

const log = pino({ level: 'silent' })
const scopes = ['notifications:send', 'notifications:read'] as const
const principal: Principal = { userId: 'alice', scopes, mode: 'live', credentialId: 'a', rateLimitKey: 'a' }

let testDatabase: TestDatabase
let database: Database
let filter: BulkActionBody['filter']

beforeAll(async () => {
  testDatabase = await acquireDatabase()
  const server = await startTestServer({ database: testDatabase, env: { FLOWPOST_CAPTURE: 'on' } })
  const { project } = await createFlow(server)
  await readCompleted(server, (await send(server, project.id, { reference: 'template' })).id)
  await server.stop()
  filter = { project_id: project.id, created_after: project.created_at }
  database = await openTestDatabase(testDatabase)
  await addFailedDeliveries(database.query, 5, (number) => `${number}@example.com`)
})
afterAll(async () => {
  await database.close()
  await testDatabase.remove()
})

const create = (action: 'retry' | 'cancel') =>
  database.transaction((on) => createBulkAction(on, systemClock, principal, { action, filter }, { requestId: 'r1' }))
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
