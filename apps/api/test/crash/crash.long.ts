import { describe, inject, it } from 'vitest'
import { postgresBinaries, startPrivatePostgres } from '../support/private-postgres.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { type CrashPlan, runCrashes } from './crash-run.ts'
import { type EventRunPlan, runWithEvents } from './event-run.ts'
import { expectDeliveryGuarantees } from './expect-delivery-guarantees.ts'
import { expectEventGuarantees } from './expect-event-guarantees.ts'

const seed = Number(process.env['FLOWPOST_CRASH_SEED'] ?? 1)

describe('a crash', () => {
  it('of the process with an embedded database loses no accepted message', async () => {
    const database = await createTestDatabase()
    const plan: CrashPlan = { messages: 60, kills: 1, databaseCrashes: 0, seed }
    try {
      expectDeliveryGuarantees(plan, await runCrashes(plan, database))
    } finally {
      await database.remove()
    }
  }, 120_000)

  it.skipIf(postgresBinaries() === undefined || process.env['TEST_DATABASE_URL'] === undefined)(
    'of APIs, workers and PostgreSQL loses no accepted message',
    async () => {
      await using postgres = await startPrivatePostgres()
      const plan: CrashPlan = { messages: 150, kills: 5, databaseCrashes: 1, seed }
      expectDeliveryGuarantees(plan, await runCrashes(plan, { postgres }))
    },
    180_000,
  )

  it.runIf(inject('postgres'))(
    'of APIs and workers neither loses nor repeats an event',
    async () => {
      const database = await createTestDatabase()
      const plan: EventRunPlan = { messages: 100, kills: 4, seed }
      try {
        expectEventGuarantees(plan, await runWithEvents(plan, database.url ?? ''))
      } finally {
        await database.remove()
      }
    },
    180_000,
  )
})
