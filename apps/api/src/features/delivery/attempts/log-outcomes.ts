import { expiredFailure, suppressedFailure } from '@flowpost/domain'
import type { Logger } from 'pino'
import { toId, type Uuid } from '../../../shared/ids.ts'
import { withoutRedaction } from '../../../shared/without-redaction.ts'
import type { Job } from '../queue/job.ts'
import { failureOf, type RecordedAttempt } from './record-outcomes.ts'
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
  for (const { attempt, durationMs, outcome, status, expires, logFields } of recorded) {
    const step = status === 'canceled' ? status : outcomeName(outcome)
    const failure = failureOf(outcome, expires)
    log.info(
      {
        notification_id: toId('notification', attempt.notification_id),
        delivery_id: toId('delivery', attempt.id),
        ...logFields,
        source_type: attempt.source_type,
        attempt: attempt.attempt_count,
        ...(durationMs === null ? {} : { duration_ms: durationMs }),
        ...(failure ? { failure_kind: failure.kind, failure_code: failure.code } : {}),
        ...(step === 'retrying' && outcome.status === 'retrying' ? { retry_in_ms: Math.round(outcome.delayMs) } : {}),
      },
      messages[step],
    )
  }
}

const dropped = {
  expired: { failure: expiredFailure, message: 'Delivery canceled: the notification has expired.' },
  suppressed: { failure: suppressedFailure, message: 'Delivery failed: the recipient is suppressed.' },
}

/**
 * Logs claimed deliveries that ended without a new attempt, one line each.
 * @param jobs the claimed jobs, including jobs of deliveries that have not ended.
 * @param notificationIds the notifications of the ended deliveries, by delivery id.
 */
export const logDropped = (
  log: Logger,
  reason: keyof typeof dropped,
  jobs: readonly Job[],
  notificationIds: ReadonlyMap<Uuid, Uuid>,
): void => {
  if (notificationIds.size === 0) return
  const stepLog = withoutRedaction(log)
  const { failure, message } = dropped[reason]
  for (const { deliveryId, requestId, sourceType } of jobs) {
    const notificationId = notificationIds.get(deliveryId)
    if (notificationId === undefined) continue
    stepLog.info(
      {
        notification_id: toId('notification', notificationId),
        delivery_id: toId('delivery', deliveryId),
        ...(requestId ? { request_id: requestId } : {}),
        source_type: sourceType,
        failure_kind: failure.kind,
        failure_code: failure.code,
      },
      message,
    )
  }
}
