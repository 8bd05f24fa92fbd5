import { expect, it } from 'vitest'
import { createTestDatabase } from '../support/test-database.ts'
import { runBulkRetry } from './bulk-run.ts'

const seed = Number(process.env['FLOWPOST_BULK_SEED'] ?? 1)
const deliveries = Number(process.env['FLOWPOST_BULK_DELIVERIES'] ?? 100_000)

it('retries each of many deliveries once although workers are killed five times, and delays new messages by at most a second', async () => {
  const database = await createTestDatabase()
  try {
    const report = await runBulkRetry({ deliveries, kills: 5, seed }, database)
    const { before, during } = report.latencies
    const summary = (all: readonly number[]) => `median ${all[all.length >> 1]} ms, longest ${all.at(-1)} ms of ${all.length}`
    console.info(
      `${deliveries} deliveries in ${report.seconds} s, ${report.kills} kills; new messages: before ${summary(before)}; during ${summary(during)}; ` +
        `${report.interruptedProbes} probes were in progress in a killed worker`,
    )
    expect(report.kills).toBe(5)
    expect(report.action).toMatchObject({ status: 'done', matched: deliveries, done: deliveries, skipped: 0 })
    expect(report.attempts).toEqual({ 1: deliveries })
    expect(report.statuses).toEqual({ sent: deliveries / 2, failed: deliveries / 2 })
    expect(during.at(-1)).toBeLessThan((before.at(-1) ?? 0) + 1_000)
  } finally {
    await database.remove()
  }
}, 1_800_000)
