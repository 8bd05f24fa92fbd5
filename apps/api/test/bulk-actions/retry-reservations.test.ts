import { pino } from 'pino'
import { expect, it } from 'vitest'
import type { Database } from '../../src/database/database.ts'
import { createBulkAction } from '../../src/features/bulk-actions/create-bulk-action.ts'
import { runStep } from '../../src/features/bulk-actions/run-step.ts'
import { createQueue } from '../../src/features/delivery/queue/queue.ts'
import { createQueueLimit } from '../../src/features/delivery/queue/queue-limit.ts'
import { retryNotification } from '../../src/features/notifications/retry-notification.ts'
import { createContext } from '../../src/http/request-context.ts'
import { systemClock } from '../../src/shared/clock.ts'
import { toId, type Uuid } from '../../src/shared/ids.ts'
import { recordTestEvents, testRecipients } from '../support/test-recipients.ts'
import { addFailedDeliveries } from './failed-deliveries.ts'
import { openTemplateDatabase, principal } from './template-database.ts'

const log = pino({ level: 'silent' })

it.each(['request', 'bulk action'])('a retry by %s reserves space in the queue until its transaction has ended', async (kind) => {
  await using opened = await openTemplateDatabase()
  const { database, filter } = opened
  await addFailedDeliveries(database.query, 1, () => 'ann@example.com')
  const queue = createQueue({ database, log })
  const steps: string[] = []
  const reserve = () => ({ priority: 0, settle: (stored: boolean) => void steps.push(stored ? 'stored' : 'not stored') })
  const queueLimit = { ...createQueueLimit({ queue, limit: 1_000, log }), reserve }
  const deps = {
    clock: systemClock,
    queue,
    queueLimit,
    random: Math.random,
    logContent: true,
    recipients: testRecipients,
    recordEvents: recordTestEvents,
    maxDeliveries: 10,
  }

  /** Retries the failed delivery in a transaction, which ends with `last`. */
  const retry = async (last: () => void) => {
    const transaction: Database['transaction'] = (work) =>
      database.transaction(async (on) => {
        const result = await work(on)
        last()
        return result
      })
    if (kind === 'bulk action') return runStep({ ...deps, database: { ...database, transaction } })
    const [row] = await database.query<{ id: Uuid }>(`select notification_id as id from deliveries where target = 'ann@example.com'`)
    const id = toId('notification', row?.id ?? '')
    return transaction((on) => retryNotification(on, deps, principal, id, createContext('retry', log)))
  }

  await database.transaction((on) => createBulkAction(on, systemClock, principal, { action: 'retry', filter }, { requestId: 'r1' }))
  await expect(
    retry(() => {
      throw new Error('rolled back')
    }),
  ).rejects.toThrow('rolled back')
  await retry(() => void steps.push('last statement'))
  expect(steps).toEqual(['not stored', 'last statement', 'stored'])
})
