import { expect } from 'vitest'
import type { ReceivedMail } from './smtp-sink.ts'

/** A completed notification. */
export interface CompletedNotification {
  readonly status: string
  readonly deliveries: readonly { readonly attempt_count: number; readonly attempts: readonly { readonly outcome: string }[] }[]
}

/** The messages in a run. The maps are keyed by subject, and each subject is sent once. */
export interface DeliveryReport {
  /** The ids of the accepted notifications. */
  readonly accepted: ReadonlyMap<string, string>
  /** The notifications that the API returns after the run. */
  readonly completed: ReadonlyMap<string, CompletedNotification>
  readonly received: readonly ReceivedMail[]
}

/**
 * Expects that every accepted message was delivered, that no other message was, and that each duplicate has an interrupted
 * attempt.
 */
export const expectDelivered = ({ accepted, completed, received }: DeliveryReport): void => {
  const bySubject = Map.groupBy(received, ({ raw }) => /^Subject: (.+)$/m.exec(raw)?.[1]?.trim() ?? '')
  const lost = [...accepted.keys()].filter((subject) => !bySubject.has(subject))
  const unexpected = [...bySubject.keys()].filter((subject) => !accepted.has(subject))
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
