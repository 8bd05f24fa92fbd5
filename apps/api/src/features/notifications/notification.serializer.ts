import type { Delivery, DeliveryWithAttempts, Notification, NotificationWithAttempts } from '@flowpost/contract'
import type { Failure, Receipt } from '@flowpost/domain'
import type { z } from 'zod'
import { timestamp, timestampOrNull } from '../../database/database.ts'
import { toId, type Uuid } from '../../shared/ids.ts'

/** The notification columns that API responses need. */
export interface NotificationRow {
  readonly id: Uuid
  readonly project_id: Uuid
  readonly status: string
  readonly subject: string | null
  /** Whether the notification was sent with a test key. */
  readonly test: boolean
  readonly reference: string | null
  readonly metadata: Readonly<Record<string, string>> | null
  readonly created_at: string | Date
  readonly expires_at: string | Date | null
}

/** The delivery columns that API responses need. */
export interface DeliveryRow {
  readonly id: Uuid
  readonly notification_id: Uuid
  readonly flow_id: Uuid
  readonly source_type: string
  readonly target: string
  readonly status: string
  readonly captured: boolean
  readonly attempt_count: number
  readonly next_attempt_at: string | Date | null
  readonly sent_at: string | Date | null
  readonly provider_message_id: string | null
  readonly failure: Failure | null
  readonly receipt: Receipt | null
}

/** The attempt columns that API responses need. */
export interface AttemptRow {
  readonly id: Uuid
  readonly delivery_id: Uuid
  readonly number: number
  readonly started_at: string | Date
  readonly duration_ms: number | null
  readonly outcome: string
  readonly provider_response: string | null
}

/** Returns the API representation of a delivery. */
export const toDelivery = (row: DeliveryRow): z.output<typeof Delivery> => ({
  id: toId('delivery', row.id),
  flow_id: toId('flow', row.flow_id),
  source_type: row.source_type,
  target: row.target,
  status: row.status,
  captured: row.captured,
  attempt_count: row.attempt_count,
  next_attempt_at: timestampOrNull(row.next_attempt_at),
  sent_at: timestampOrNull(row.sent_at),
  provider_message_id: row.provider_message_id,
  failure: row.failure,
  receipt: row.receipt,
})

/** Returns the API representation of a delivery with its attempts. */
export const toDeliveryWithAttempts = (row: DeliveryRow, attempts: readonly AttemptRow[]): z.output<typeof DeliveryWithAttempts> => ({
  ...toDelivery(row),
  attempts: attempts.map((attempt) => ({
    id: toId('attempt', attempt.id),
    number: attempt.number,
    started_at: timestamp(attempt.started_at),
    duration_ms: attempt.duration_ms,
    outcome: attempt.outcome,
    provider_response: attempt.provider_response,
  })),
})

const toSummary = (row: NotificationRow) => ({
  id: toId('notification', row.id),
  project_id: toId('project', row.project_id),
  status: row.status,
  subject: row.subject,
  test: row.test,
  reference: row.reference,
  metadata: row.metadata ?? {},
  created_at: timestamp(row.created_at),
  expires_at: timestampOrNull(row.expires_at),
})

/** Returns the API representation of a notification. */
export const toNotification = (row: NotificationRow, deliveries: readonly DeliveryRow[]): z.output<typeof Notification> => ({
  ...toSummary(row),
  deliveries: deliveries.map(toDelivery),
})

/** Returns the API representation of a notification with its deliveries and their attempts. */
export const toNotificationWithAttempts = (
  row: NotificationRow,
  deliveries: readonly DeliveryRow[],
  attempts: ReadonlyMap<Uuid, readonly AttemptRow[]>,
): z.output<typeof NotificationWithAttempts> => ({
  ...toSummary(row),
  deliveries: deliveries.map((delivery) => toDeliveryWithAttempts(delivery, attempts.get(delivery.id) ?? [])),
})
