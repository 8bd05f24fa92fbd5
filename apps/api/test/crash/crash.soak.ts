import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'vitest'
import { postgresBinaries, startPrivatePostgres } from '../support/private-postgres.ts'
import { type CrashPlan, runCrashes } from './crash-run.ts'
import { type EventRunPlan, runWithEvents } from './event-run.ts'
import { expectDeliveryGuarantees } from './expect-delivery-guarantees.ts'
import { expectEventGuarantees } from './expect-event-guarantees.ts'

const seed = Number(process.env['FLOWPOST_CRASH_SEED'] ?? 1)

describe('a crash', () => {
  it.skipIf(postgresBinaries() === undefined)('of APIs, workers and PostgreSQL loses no accepted message', async () => {
    await using postgres = await startPrivatePostgres()
    const plan: CrashPlan = { messages: 2_300, kills: 30, databaseCrashes: 3, seed }
    expectDeliveryGuarantees(plan, await runCrashes(plan, { postgres }))
  })

  it.skipIf(postgresBinaries() === undefined)('of APIs and workers neither loses nor repeats an event', async () => {
    await using postgres = await startPrivatePostgres()
    const plan: EventRunPlan = { messages: 2_300, kills: 30, seed }
    expectEventGuarantees(plan, await runWithEvents(plan, postgres.url))
  })

  it('of the process with an embedded database loses no accepted message', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'flowpost-crash-'))
    const plan: CrashPlan = { messages: 2_300, kills: 30, databaseCrashes: 0, seed }
    try {
      expectDeliveryGuarantees(plan, await runCrashes(plan, { dataDir }))
    } finally {
      await rm(dataDir, { recursive: true, force: true })
    }
  })
})
