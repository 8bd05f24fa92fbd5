import { pino } from 'pino'
import { expect, it } from 'vitest'
import { newUuid } from '../../../shared/ids.ts'
import { logOutcomes } from './log-outcomes.ts'
import type { RecordedAttempt } from './record-outcomes.ts'

const failure = { kind: 'provider', code: '451', detail: 'Try again later.', retryable: true } as const

/** Logs an attempt after which the delivery was canceled, and returns the line. */
const logCanceled = (expires: boolean) => {
  const lines: string[] = []
  const attempt = { id: newUuid(), notification_id: newUuid(), source_type: 'smtp', attempt_count: 2 }
  const outcome = { status: 'retrying', failure, delayMs: 5_000, response: '451 Try again later.' }
  const recorded = { attempt, durationMs: 30, outcome, status: 'canceled', expires } as unknown as RecordedAttempt
  logOutcomes(pino({}, { write: (line) => void lines.push(line) }), [recorded])
  return JSON.parse(lines[0] ?? '{}')
}

it('logs the failure `expired` if a delivery is canceled because its notification expires before the next attempt', () => {
  expect(logCanceled(true)).toMatchObject({
    failure_kind: 'expired',
    failure_code: 'expired',
    msg: 'Delivery canceled after a failed attempt.',
  })
})

it('logs the failure of the attempt if a delivery is canceled because its flow or project was deleted', () => {
  expect(logCanceled(false)).toMatchObject({
    failure_kind: 'provider',
    failure_code: '451',
    msg: 'Delivery canceled after a failed attempt.',
  })
})
