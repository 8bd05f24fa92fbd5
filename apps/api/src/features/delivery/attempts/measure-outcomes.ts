import { instant } from '../../../database/database.ts'
import type { DeliveryMetrics } from '../../../http/metrics/delivery-metrics.ts'
import { failureOf, type RecordedAttempt } from './record-outcomes.ts'
import { outcomeName } from './send.ts'

/**
 * Adds recorded outcomes to the metrics. Test messages count only as processed jobs. Call this function after the commit.
 */
export const measureOutcomes = (metrics: DeliveryMetrics, now: Date, recorded: readonly RecordedAttempt[]): void => {
  metrics.processed(recorded.length)
  for (const { attempt, outcome, status, expires } of recorded) {
    if (attempt.test) continue
    const { source_type: sourceType } = attempt
    metrics.attempted(sourceType, outcomeName(outcome))
    if (status === 'retrying') continue
    metrics.settled(sourceType, status, failureOf(outcome, expires)?.kind)
    if (status === 'sent') metrics.delivered(sourceType, (now.getTime() - instant(attempt.ready_at).getTime()) / 1_000)
  }
}
