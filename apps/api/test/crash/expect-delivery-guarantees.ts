import { expect } from 'vitest'
import type { CrashPlan, CrashReport } from './crash-run.ts'

/** Expects that a crash run lost no accepted message, sent no rejected one, and sent duplicates only after interrupted attempts. */
export const expectDeliveryGuarantees = (plan: CrashPlan, report: CrashReport): void => {
  const { load, received, completed, kills, duplicates } = report
  console.info(
    `crash run, seed ${plan.seed}: ${load.accepted.size} accepted, ${received.length} received, ${kills} kills, ` +
      `${plan.databaseCrashes} database crashes, ${duplicates} duplicates`,
  )
  expect(load.accepted.size + load.rejected.size).toBe(plan.messages)

  const bySubject = Map.groupBy(received, ({ raw }) => /^Subject: (.+)$/m.exec(raw)?.[1]?.trim() ?? '')
  const lost = [...load.accepted.keys()].filter((subject) => !bySubject.has(subject))
  const unexpected = [...bySubject.keys()].filter((subject) => !load.accepted.has(subject))
  const unsent = [...completed].filter(([, { status }]) => status !== 'sent').map(([subject, { status }]) => `${subject}: ${status}`)
  expect({ lost, unexpected, unsent }).toEqual({ lost: [], unexpected: [], unsent: [] })

  for (const [subject, mails] of bySubject) {
    expect(new Set(mails.map(({ messageId }) => messageId)).size, `${subject} has one Message-ID`).toBe(1)
    if (mails.length === 1) continue
    const [delivery] = completed.get(subject)?.deliveries ?? []
    const interrupted = delivery?.attempts.filter(({ outcome }) => outcome === 'ambiguous' || outcome === 'retrying').length ?? 0
    expect(mails.length, `${subject} has at most one duplicate for each interrupted attempt`).toBeLessThanOrEqual(1 + interrupted)
  }
}
