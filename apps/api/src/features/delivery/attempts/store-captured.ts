import type { Transaction } from '../../../database/database.ts'
import type { Clock } from '../../../shared/clock.ts'
import type { FinishedAttempt } from './record-outcomes.ts'

/** The dependencies of {@link storeCapturedMessages}. */
export interface CaptureDeps {
  readonly clock: Clock
  /**
   * Whether captured messages are stored.
   * @default true
   */
  readonly storesCaptured?: boolean
}

/** Stores the messages that were captured instead of sent, in the transaction that records their outcomes. */
export const storeCapturedMessages = async (
  transaction: Transaction,
  { clock, storesCaptured = true }: CaptureDeps,
  finished: readonly FinishedAttempt[],
): Promise<void> => {
  if (!storesCaptured) return
  const rows = finished.flatMap(({ attempt, outcome }) => {
    if (outcome.status !== 'sent' || !outcome.captured) return []
    const { headers, text, html, raw } = outcome.captured
    return [
      {
        delivery_id: attempt.id,
        user_id: attempt.user_id,
        notification_id: attempt.notification_id,
        project_id: attempt.project_id,
        flow_id: attempt.flow_id,
        source_type: attempt.source_type,
        kind: outcome.kind,
        target: attempt.target,
        subject: attempt.content?.subject ?? '',
        headers,
        text: text ?? null,
        html: html ?? null,
        raw,
        captured_at: clock.now(),
      },
    ]
  })
  if (rows.length === 0) return
  await transaction.query(
    `insert into captured_messages (delivery_id, user_id, notification_id, project_id, flow_id, source_type, kind, target, subject,
       headers, text, html, raw, captured_at)
     select delivery_id, user_id, notification_id, project_id, flow_id, source_type, kind, target, subject,
       headers, text, html, raw, captured_at
     from jsonb_to_recordset($1::jsonb) as r(delivery_id uuid, user_id text, notification_id uuid, project_id uuid, flow_id uuid,
       source_type text, kind text, target text, subject text, headers jsonb, text text, html text, raw text, captured_at timestamptz)
     on conflict (delivery_id) do nothing`,
    [JSON.stringify(rows)],
  )
}
