import { expect } from 'vitest'
import type { CrashPlan, CrashReport } from './crash-run.ts'

/** Holds a crash run against the promises: nothing lost, nothing invented, duplicates only where an attempt was cut. */
export const expectNothingLost = (plan: CrashPlan, report: CrashReport): void => {
  const { load, received, final, kills, duplicates } = report
  console.info(
    `crash run, seed ${plan.seed}: ${load.accepted.size} accepted, ${received.length} received, ${kills} kills, ` +
      `${plan.databaseCrashes} database crashes, ${duplicates} duplicates`,
  )
  expect(load.accepted.size + load.refused.size).toBe(plan.messages)

  const bySubject = Map.groupBy(received, ({ raw }) => /^Subject: (.+)$/m.exec(raw)?.[1]?.trim() ?? '')
  const lost = [...load.accepted.keys()].filter((subject) => !bySubject.has(subject))
  const invented = [...bySubject.keys()].filter((subject) => !load.accepted.has(subject))
  const unsent = [...final].filter(([, { status }]) => status !== 'sent').map(([subject, { status }]) => `${subject}: ${status}`)
  expect({ lost, invented, unsent }).toEqual({ lost: [], invented: [], unsent: [] })

  for (const [subject, mails] of bySubject) {
    expect(new Set(mails.map(({ messageId }) => messageId)).size, `${subject} has one Message-ID`).toBe(1)
    if (mails.length === 1) continue
    const [delivery] = final.get(subject)?.deliveries ?? []
    const cut = delivery?.attempts.filter(({ outcome }) => outcome === 'ambiguous' || outcome === 'retrying').length ?? 0
    expect(mails.length, `${subject} came once more for each attempt that was cut, at most`).toBeLessThanOrEqual(1 + cut)
  }
}
