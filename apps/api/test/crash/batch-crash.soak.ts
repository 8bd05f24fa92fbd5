import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'vitest'
import { postgresBinaries, startPrivatePostgres } from '../support/private-postgres.ts'
import { expectBatchesStoredOnce } from './batch-crash-run.ts'

const plan = { batches: 200, items: 500, kills: 40, seed: Number(process.env['FLOWPOST_CRASH_SEED'] ?? 1) }

describe('batches that are repeated after their server was killed', () => {
  it('store each notification once in an embedded database', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'flowpost-crash-'))
    try {
      await expectBatchesStoredOnce(plan, { FLOWPOST_DATA_DIR: dataDir })
    } finally {
      await rm(dataDir, { recursive: true, force: true })
    }
  })

  it.skipIf(postgresBinaries() === undefined)('store each notification once in PostgreSQL', async () => {
    await using postgres = await startPrivatePostgres()
    await expectBatchesStoredOnce(plan, { DATABASE_URL: postgres.url })
  })
})
