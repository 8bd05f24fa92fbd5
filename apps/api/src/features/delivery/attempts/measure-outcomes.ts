import { instant } from '../../../database/database.ts'
import type { DeliveryMetrics } from '../../../http/pages/delivery-metrics.ts'
import type { RecordedAttempt } from './record-outcomes.ts'
import { outcomeName } from './send.ts'

/** Adds recorded outcomes to the metrics. Runs after the commit, and needs no statement. */
export const measureOutcomes = (metrics: DeliveryMetrics, now: Date, recorded: readonly RecordedAttempt[]): void => {
  for (const { attempt, outcome, status } of recorded) {
    const { source_type: sourceType } = attempt
    metrics.attempted(sourceType, outcomeName(outcome))
    if (status === 'retrying') continue
    metrics.settled(sourceType, status, outcome.status === 'sent' ? undefined : outcome.failure.kind)
    if (status === 'sent') metrics.delivered(sourceType, (now.getTime() - instant(attempt.ready_at).getTime()) / 1_000)
  }
}
