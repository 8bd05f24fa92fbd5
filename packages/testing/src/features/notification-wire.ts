import { countDeliveryRows, maxEmbeddedAttempts, maxEmbeddedDeliveries, maxListedAttempts } from '@flowpost/contract/rules'
import type { DeliveryRecord, NotificationRecord } from '../state/records.ts'
import type { Delivery, DeliveryWithAttempts, Notification, NotificationWithAttempts } from '../state/wire.ts'

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

const withAttempts = (record: DeliveryRecord, most: number): DeliveryWithAttempts => ({
  ...toDelivery(record),
  attempts: record.attempts.slice(-most).map((attempt) => ({ ...attempt })),
})

/** A delivery of a list, as the wire has it. */
export const toListedDelivery = (record: DeliveryRecord): DeliveryWithAttempts => withAttempts(record, maxListedAttempts)

/** How many rows a delivery takes of a list. */
export const rowsOfListed = (record: DeliveryRecord): number => countDeliveryRows(record, maxListedAttempts)

const head = ({ id, project_id, status, subject, created_at }: NotificationRecord) => ({ id, project_id, status, subject, created_at })

/** A notification as the wire has it. */
export const toNotification = (record: NotificationRecord): Notification => ({
  ...head(record),
  deliveries: record.deliveries.slice(0, maxEmbeddedDeliveries).map(toDelivery),
})

/** A notification with the attempts of its deliveries, as the wire has it. */
export const toNotificationWithAttempts = (record: NotificationRecord): NotificationWithAttempts => ({
  ...head(record),
  deliveries: record.deliveries.slice(0, maxEmbeddedDeliveries).map((delivery) => withAttempts(delivery, maxEmbeddedAttempts)),
})

/** How many rows a notification takes of a list. */
export const rowsOfNotification = (record: NotificationRecord): number =>
  record.deliveries.slice(0, maxEmbeddedDeliveries).reduce((sum, delivery) => sum + countDeliveryRows(delivery, maxEmbeddedAttempts), 0)
