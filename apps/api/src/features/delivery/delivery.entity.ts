import type { Failure, RenderedContent } from '@flowpost/domain'
import { defineEntity, p } from '@mikro-orm/core'

/**
 * A stored delivery. There are no foreign keys: the log outlives flows and projects, and foreign keys would cost a third of the
 * accept throughput.
 */
export const DeliveryEntity = defineEntity({
  name: 'Delivery',
  tableName: 'deliveries',
  indexes: [
    { name: 'deliveries_notification_id_id_index', properties: ['notificationId', 'id'] },
    { name: 'deliveries_flow_id_notification_id_index', properties: ['flowId', 'notificationId'] },
  ],
  properties: {
    id: p.uuid().primary(),
    notificationId: p.uuid(),
    userId: p.text(),
    projectId: p.uuid(),
    flowId: p.uuid(),
    sourceType: p.text(),
    target: p.text(),
    status: p.text(),
    /** Whether the message is captured instead of sent. This is decided when the notification is accepted. */
    captured: p.boolean(),
    /** Whether the flow or project was deleted. Then the delivery is not retried after the current attempt. */
    cancelRequested: p.boolean(),
    /** Whether the project's credential was deleted while the delivery was open. The deployment's credential must not replace it. */
    credentialRemoved: p.boolean().default(false),
    attemptCount: p.integer(),
    /** The current attempt. Only its outcome may be recorded: a worker whose lease expired has an older attempt. */
    attemptId: p.uuid().nullable(),
    firstAttemptAt: p.datetime().columnType('timestamptz(3)').nullable(),
    nextAttemptAt: p.datetime().columnType('timestamptz(3)').nullable(),
    sentAt: p.datetime().columnType('timestamptz(3)').nullable(),
    settledAt: p.datetime().columnType('timestamptz(3)').nullable(),
    providerMessageId: p.text().nullable(),
    failure: p.json<Failure>().nullable(),
    createdAt: p.datetime().columnType('timestamptz(3)'),
  },
})

/** A stored attempt at a delivery. */
export const AttemptEntity = defineEntity({
  name: 'Attempt',
  tableName: 'attempts',
  uniques: [{ name: 'attempts_delivery_id_number_unique', properties: ['deliveryId', 'number'] }],
  properties: {
    id: p.uuid().primary(),
    deliveryId: p.uuid(),
    number: p.integer(),
    startedAt: p.datetime().columnType('timestamptz(3)'),
    durationMs: p.integer().nullable(),
    outcome: p.text(),
    providerResponse: p.text().nullable(),
  },
})

/**
 * A queued job, one for each open delivery. A claim sets `dueAt` to the end of its lease and increments `claim`, the fencing
 * token. So a job whose worker died is due again when the lease expires.
 */
export const DeliveryJobEntity = defineEntity({
  name: 'DeliveryJob',
  tableName: 'delivery_jobs',
  indexes: [
    { name: 'delivery_jobs_priority_due_at_index', properties: ['priority', 'dueAt'] },
    { name: 'delivery_jobs_project_id_index', properties: ['projectId'] },
  ],
  properties: {
    deliveryId: p.uuid().primary(),
    userId: p.text(),
    projectId: p.uuid(),
    sourceType: p.text(),
    /** 0 is claimed first, then -1, and so on. */
    priority: p.integer().default(0),
    dueAt: p.datetime().columnType('timestamptz(3)'),
    /** Whether `dueAt` is the end of a lease, and not the time of a retry or a scheduled send. */
    leased: p.boolean().default(false),
    claim: p.integer().default(0),
    /** How often in a row the throttle rescheduled the job to a slot of a rate-limited destination. */
    deferrals: p.integer().default(0),
  },
})

/**
 * The rendered message of a delivery. It is written once and deleted earlier than the delivery. The ids are ordered by time, so
 * rows that are inserted or deleted together are adjacent.
 */
export const MessageBodyEntity = defineEntity({
  name: 'MessageBody',
  tableName: 'message_bodies',
  properties: {
    notificationId: p.uuid().primary(),
    deliveryId: p.uuid().primary(),
    /** The subject of the notification. `null` if messages are not stored beyond delivery. */
    subject: p.text().nullable(),
    content: p.json<RenderedContent>(),
  },
})

/** A rate-limited destination: when the next message may start (`nextAt`), and the end of the reserved slots (`tailAt`). */
export const DestinationEntity = defineEntity({
  name: 'Destination',
  tableName: 'destinations',
  properties: {
    key: p.text().primary(),
    nextAt: p.datetime().columnType('timestamptz(3)'),
    tailAt: p.datetime().columnType('timestamptz(3)'),
  },
})

/** A message that was captured instead of sent. */
export const CapturedMessageEntity = defineEntity({
  name: 'CapturedMessage',
  tableName: 'captured_messages',
  indexes: [
    { name: 'captured_messages_user_id_delivery_id_index', properties: ['userId', 'deliveryId'] },
    { name: 'captured_messages_captured_at_index', properties: ['capturedAt'] },
  ],
  properties: {
    deliveryId: p.uuid().primary(),
    userId: p.text(),
    notificationId: p.uuid(),
    projectId: p.uuid(),
    flowId: p.uuid(),
    sourceType: p.text(),
    kind: p.text().$type<'email' | 'chat'>(),
    target: p.text(),
    subject: p.text(),
    headers: p.json<[string, string][]>(),
    text: p.text().nullable(),
    html: p.text().nullable(),
    raw: p.text(),
    capturedAt: p.datetime().columnType('timestamptz(3)'),
  },
})
