import type { Logger } from 'pino'
import { toId } from '../../../shared/ids.ts'
import type { RecordedAttempt } from './record-outcomes.ts'
import { outcomeName } from './send.ts'

const messages: Readonly<Record<string, string>> = {
  sent: 'Delivery sent.',
  captured: 'Delivery captured.',
  retrying: 'Attempt failed; the delivery will be retried.',
  failed: 'Delivery failed.',
  ambiguous: 'Delivery held: the provider may have accepted the message.',
  canceled: 'Delivery canceled after a failed attempt.',
}

/** Logs recorded outcomes, one line each. The lines contain ids and codes, but no content, target or provider text. */
export const logOutcomes = (log: Logger, recorded: readonly RecordedAttempt[]): void => {
  if (!log.isLevelEnabled('info')) return
  for (const { attempt, durationMs, outcome, status, logFields } of recorded) {
    const step = status === 'canceled' ? status : outcomeName(outcome)
    log.info(
      {
        notification_id: toId('notification', attempt.notification_id),
        delivery_id: toId('delivery', attempt.id),
        ...logFields,
        source_type: attempt.source_type,
        attempt: attempt.attempt_count,
        ...(durationMs === null ? {} : { duration_ms: durationMs }),
        ...(outcome.status === 'sent' ? {} : { failure_kind: outcome.failure.kind, failure_code: outcome.failure.code }),
        ...(step === 'retrying' && outcome.status === 'retrying' ? { retry_in_ms: Math.round(outcome.delayMs) } : {}),
      },
      messages[step],
    )
  }
}
