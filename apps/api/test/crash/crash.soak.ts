import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'vitest'
import { postgresBinaries, startPrivatePostgres } from '../support/private-postgres.ts'
import { type CrashPlan, runCrashes } from './crash-run.ts'
import { expectNothingLost } from './expect-nothing-lost.ts'

const seed = Number(process.env['FLOWPOST_CRASH_SEED'] ?? 1)

describe('every accepted message is delivered', () => {
  it.skipIf(postgresBinaries() === undefined)('when APIs, workers and PostgreSQL are killed', async () => {
    await using postgres = await startPrivatePostgres()
    const plan: CrashPlan = { messages: 2_300, kills: 30, databaseCrashes: 3, seed }
    expectNothingLost(plan, await runCrashes(plan, { postgres }))
  })

  it('when the only process of an embedded server is killed', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'flowpost-crash-'))
    const plan: CrashPlan = { messages: 2_300, kills: 30, databaseCrashes: 0, seed }
    try {
      expectNothingLost(plan, await runCrashes(plan, { dataDir }))
    } finally {
      await rm(dataDir, { recursive: true, force: true })
    }
  })
})
