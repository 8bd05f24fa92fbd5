import { it } from 'vitest'
import { createTestDatabase } from '../support/test-database.ts'
import { expectBatchesStoredOnce } from './batch-crash-run.ts'

const seed = Number(process.env['FLOWPOST_CRASH_SEED'] ?? 1)

it('stores each notification once when a batch is repeated after its server was killed', async () => {
  const database = await createTestDatabase()
  try {
    await expectBatchesStoredOnce({ batches: 10, items: 200, kills: 2, seed }, database.env)
  } finally {
    await database.remove()
  }
}, 180_000)
