import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'vitest'
import { postgresBinaries, startPrivatePostgres } from '../support/private-postgres.ts'
import { type CrashPlan, runCrashes } from './crash-run.ts'
import { expectNothingLost } from './expect-nothing-lost.ts'

const seed = Number(process.env['FLOWPOST_CRASH_SEED'] ?? 1)

describe('every accepted message is delivered, in a short run', () => {
  it('when the only process of an embedded server is killed', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'flowpost-crash-'))
    const plan: CrashPlan = { messages: 100, kills: 3, databaseCrashes: 0, seed }
    try {
      expectNothingLost(plan, await runCrashes(plan, { dataDir }))
    } finally {
      await rm(dataDir, { recursive: true, force: true })
    }
  }, 120_000)

  // PostgreSQL's programs are not on every machine that runs the tests.
  it.skipIf(postgresBinaries() === undefined || process.env['TEST_DATABASE_URL'] === undefined)(
    'when APIs, workers and PostgreSQL are killed',
    async () => {
      await using postgres = await startPrivatePostgres()
      const plan: CrashPlan = { messages: 150, kills: 5, databaseCrashes: 1, seed }
      expectNothingLost(plan, await runCrashes(plan, { postgres }))
    },
    180_000,
  )
})
