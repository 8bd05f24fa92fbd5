import type { DeliveryRecord, NotificationRecord } from '../state/records.ts'
import type { Delivery, DeliveryWithAttempts, Notification, NotificationWithAttempts } from '../state/wire.ts'

/** How many deliveries the representation of a notification embeds. */
const embeddedDeliveries = 100

const toDelivery = (record: DeliveryRecord): Delivery => ({
  id: record.id,
  flow_id: record.flow_id,
  source_type: record.source_type,
  target: record.target,
  status: record.status,
  captured: record.captured,
  attempt_count: record.attempt_count,
  next_attempt_at: record.next_attempt_at,
  sent_at: record.sent_at,
  provider_message_id: record.provider_message_id,
  failure: record.failure,
})

/** A delivery with its attempts, as the wire has it. */
export const toDeliveryWithAttempts = (record: DeliveryRecord): DeliveryWithAttempts => ({
  ...toDelivery(record),
  attempts: record.attempts.map((attempt) => ({ ...attempt })),
})

const head = ({ id, project_id, status, subject, created_at }: NotificationRecord) => ({ id, project_id, status, subject, created_at })

/** A notification as the wire has it. */
export const toNotification = (record: NotificationRecord): Notification => ({
  ...head(record),
  deliveries: record.deliveries.slice(0, embeddedDeliveries).map(toDelivery),
})

/** A notification with the attempts of its deliveries, as the wire has it. */
export const toNotificationWithAttempts = (record: NotificationRecord): NotificationWithAttempts => ({
  ...head(record),
  deliveries: record.deliveries.slice(0, embeddedDeliveries).map(toDeliveryWithAttempts),
})
