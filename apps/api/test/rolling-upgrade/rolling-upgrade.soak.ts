import { describe, expect, inject, it } from 'vitest'
import { expectDelivered } from '../support/expect-delivered.ts'
import { runUpgrade } from './rolling-upgrade.ts'

const seed = Number(process.env['FLOWPOST_UPGRADE_SEED'] ?? 1)

describe.skipIf(inject('postgres') === null)('upgrades (need TEST_DATABASE_URL)', () => {
  it('and rollbacks for minutes fail no call, lose no message and send no duplicate', async () => {
    const report = await runUpgrade({ rounds: 10, messagesPerPhase: 1_000, concurrency: 16, pauseMs: 0, seed })
    expect(report.failed).toEqual([])
    expectDelivered(report)
  })
})
