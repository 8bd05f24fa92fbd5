import { expect } from 'vitest'
import { expectDelivered } from '../support/expect-delivered.ts'
import type { CrashPlan, CrashReport } from './crash-run.ts'

/** Expects that a crash run lost no accepted message, sent no rejected one, and sent duplicates only after interrupted attempts. */
export const expectDeliveryGuarantees = (plan: CrashPlan, report: CrashReport): void => {
  const { load, received, completed, kills, duplicates } = report
  console.info(
    `crash run, seed ${plan.seed}: ${load.accepted.size} accepted, ${received.length} received, ${kills} kills, ` +
      `${plan.databaseCrashes} database crashes, ${duplicates} duplicates`,
  )
  expect(load.accepted.size + load.rejected.size).toBe(plan.messages)
  expectDelivered({ accepted: load.accepted, completed, received })
}
