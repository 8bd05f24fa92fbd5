import type { Failure, Receipt, RenderedContent } from '@flowpost/domain'
import { defineEntity, p } from '@mikro-orm/core'

/**
 * The `deliveries` table. It has no foreign keys: deliveries outlive their flows and projects, and foreign keys would
 * reduce the number of messages that can be accepted per second by a third.
 */
export const DeliveryEntity = defineEntity({
  name: 'Delivery',
  tableName: 'deliveries',
  indexes: [
    { name: 'deliveries_notification_id_id_index', properties: ['notificationId', 'id'] },
    { name: 'deliveries_flow_id_notification_id_index', properties: ['flowId', 'notificationId'] },
    // Used for searches by failure. Only deliveries with a failure are in these indexes, so messages that are sent
    // without a failure add no cost.
    {
      name: 'deliveries_failure_code_index',
      expression: `create index "deliveries_failure_code_index" on "deliveries" ("user_id", ("failure" ->> 'code'), "notification_id") where "failure" is not null`,
    },
    {
      name: 'deliveries_failure_kind_index',
      expression: `create index "deliveries_failure_kind_index" on "deliveries" ("user_id", ("failure" ->> 'kind'), "notification_id") where "failure" is not null`,
    },
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
    /**
     * Whether the message is captured, that is, stored for the outbox instead of sent. Decided when the notification is
     * accepted.
     */
    captured: p.boolean(),
    /**
     * Whether the message was sent with a test key, so that its outcome is simulated; `null` if not. Test messages are
     * also captured.
     */
    test: p.boolean().nullable(),
    /** Whether the flow or project was deleted during an attempt. If so, the delivery is not retried after that attempt. */
    cancelRequested: p.boolean(),
    /**
     * Whether the project's credential was deleted while the delivery was open. If so, the deployment's credential must not be
     * used instead.
     */
    credentialRemoved: p.boolean().default(false),
    attemptCount: p.integer(),
    /**
     * The id of the current attempt. Only this attempt's outcome may be recorded, so a worker whose lease expired
     * cannot record the outcome of an older attempt.
     */
    attemptId: p.uuid().nullable(),
    firstAttemptAt: p.datetime().columnType('timestamptz(3)').nullable(),
    nextAttemptAt: p.datetime().columnType('timestamptz(3)').nullable(),
    /**
     * When the delivery became due: its `send_at` or, after a requested retry, the time of that retry. `null` if it was
     * due at `createdAt`.
     */
    readyAt: p.datetime().columnType('timestamptz(3)').nullable(),
    sentAt: p.datetime().columnType('timestamptz(3)').nullable(),
    settledAt: p.datetime().columnType('timestamptz(3)').nullable(),
    providerMessageId: p.text().nullable(),
    failure: p.json<Failure>().nullable(),
    /** The report that the provider sent after it accepted the message; `null` if there is none. */
    receipt: p.json<Receipt>().nullable(),
    /** The recipient's digest; `null` until an attempt's outcome is recorded or the delivery is completed without one. */
    recipientDigest: p.uuid().nullable(),
    createdAt: p.datetime().columnType('timestamptz(3)'),
  },
})

/** The `attempts` table: the attempts to send messages. */
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
 * The `delivery_jobs` table: one job for each open delivery. A claim sets `dueAt` to the end of the lease and increments
 * `claim`, the fencing token. If the worker dies, the job is therefore due again when the lease expires.
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
    /** Jobs with the priority 0 are claimed first, then those with -1, and so on. */
    priority: p.integer().default(0),
    dueAt: p.datetime().columnType('timestamptz(3)'),
    /** `true` if `dueAt` is the end of a lease; `false` if it is the time of the next attempt. */
    leased: p.boolean().default(false),
    claim: p.integer().default(0),
    /** How many times in a row the throttle has rescheduled the job because of its destination's rate limit. */
    deferrals: p.integer().default(0),
    /** The time after which no attempt may start; `null` if the notification does not expire. */
    expiresAt: p.datetime().columnType('timestamptz(3)').nullable(),
    /** The id of the request that queued the delivery. */
    requestId: p.text().nullable(),
    /** The W3C trace context of the request that queued the delivery; `null` if that request was not traced. */
    traceContext: p.text().nullable(),
  },
})

/**
 * The `message_bodies` table: the rendered message of each delivery. A row is written once, and deleted earlier than its
 * delivery. The ids are ordered by time, so rows that are inserted or deleted together are adjacent.
 */
export const MessageBodyEntity = defineEntity({
  name: 'MessageBody',
  tableName: 'message_bodies',
  properties: {
    notificationId: p.uuid().primary(),
    deliveryId: p.uuid().primary(),
    /** The notification's subject; `null` if the notification was accepted with `FLOWPOST_LOG_CONTENT=off`. */
    subject: p.text().nullable(),
    content: p.json<RenderedContent>(),
  },
})

/**
 * The `destinations` table: the rate-limited destinations. `nextAt` is when the next message to a destination may
 * start; `tailAt` is the end of the destination's reserved slots.
 */
export const DestinationEntity = defineEntity({
  name: 'Destination',
  tableName: 'destinations',
  properties: {
    key: p.text().primary(),
    nextAt: p.datetime().columnType('timestamptz(3)'),
    tailAt: p.datetime().columnType('timestamptz(3)'),
  },
})

/** The `captured_messages` table: the messages that were stored for the outbox instead of sent. */
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
