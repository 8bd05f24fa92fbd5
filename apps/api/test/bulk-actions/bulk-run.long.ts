import { expect, it } from 'vitest'
import { createTestDatabase } from '../support/test-database.ts'
import { runBulkRetry } from './bulk-run.ts'

const seed = Number(process.env['FLOWPOST_BULK_SEED'] ?? 1)

it('retries each delivery once although a worker is killed', async () => {
  const database = await createTestDatabase()
  try {
    const report = await runBulkRetry({ deliveries: 1_000, kills: 1, endLeases: true, seed }, database)
    expect(report.action).toMatchObject({ status: 'done', matched: 1_000, done: 1_000, skipped: 0 })
    expect(report.attempts).toEqual({ 1: 1_000 })
    expect(report.statuses).toEqual({ sent: 500, failed: 500 })
  } finally {
    await database.remove()
  }
}, 180_000)
