import { countDeliveryRows, maxEmbeddedAttempts, maxEmbeddedDeliveries, maxListedAttempts } from '@flowpost/contract/rules'
import type { Delivery, DeliveryWithAttempts, Notification, NotificationWithAttempts } from '../state/api-types.ts'
import type { DeliveryRecord, NotificationRecord } from '../state/store.ts'

/** Serializes a delivery. */
export const toDelivery = (record: DeliveryRecord): Delivery => ({
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
  receipt: record.receipt,
})

const withAttempts = (record: DeliveryRecord, maxAttempts: number): DeliveryWithAttempts => ({
  ...toDelivery(record),
  attempts: record.attempts.slice(-maxAttempts).map((attempt) => ({ ...attempt })),
})

/** Serializes a delivery with its latest attempts, at most `maxListedAttempts`, for a list of deliveries. */
export const toListedDelivery = (record: DeliveryRecord): DeliveryWithAttempts => withAttempts(record, maxListedAttempts)

/** Serializes a delivery with its latest attempts, at most `maxEmbeddedAttempts`, for a notification or an event. */
export const toEmbeddedDelivery = (record: DeliveryRecord): DeliveryWithAttempts => withAttempts(record, maxEmbeddedAttempts)

/** Counts the rows that a delivery contributes to a list of deliveries: itself and its listed attempts. */
export const countListedRows = (record: DeliveryRecord): number => countDeliveryRows(record, maxListedAttempts)

const toSummary = ({ id, project_id, status, subject, test, reference, metadata, created_at, expires_at }: NotificationRecord) => ({
  id,
  project_id,
  status,
  subject,
  test,
  reference,
  metadata: { ...metadata },
  created_at,
  expires_at,
})

/** Serializes a notification. */
export const toNotification = (record: NotificationRecord): Notification => ({
  ...toSummary(record),
  deliveries: record.deliveries.slice(0, maxEmbeddedDeliveries).map(toDelivery),
})

/** Serializes a notification with the attempts of its deliveries. */
export const toNotificationWithAttempts = (record: NotificationRecord): NotificationWithAttempts => ({
  ...toSummary(record),
  deliveries: record.deliveries.slice(0, maxEmbeddedDeliveries).map(toEmbeddedDelivery),
})

/** Counts the rows that a notification adds to a list page: its deliveries and their attempts. */
export const countEmbeddedRows = (record: NotificationRecord): number =>
  record.deliveries.slice(0, maxEmbeddedDeliveries).reduce((sum, delivery) => sum + countDeliveryRows(delivery, maxEmbeddedAttempts), 0)
