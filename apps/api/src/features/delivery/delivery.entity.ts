import type { Failure, Receipt } from '@flowpost/domain'
import { defineEntity, p } from '@mikro-orm/core'

/**
 * The `deliveries` table. It has no foreign keys: deliveries outlive their flows and projects. Foreign keys would also
 * slow down the acceptance of messages by a third.
 */
export const DeliveryEntity = defineEntity({
  name: 'Delivery',
  tableName: 'deliveries',
  indexes: [
    { name: 'deliveries_notification_id_id_index', properties: ['notificationId', 'id'] },
    { name: 'deliveries_flow_id_notification_id_index', properties: ['flowId', 'notificationId'] },
    // The next two indexes serve searches by failure. They contain only deliveries with a failure, so all other deliveries
    // add no cost.
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
     * accepted. A worker with `FLOWPOST_CAPTURE=on` also captures deliveries that were accepted under another setting. They
     * stay captured, so reports about their earlier attempts are ignored.
     */
    captured: p.boolean(),
    /**
     * `true` if the message was sent with a test key, so that its outcome is simulated; otherwise `null`. Test messages
     * are also captured.
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
     * When the delivery became due: its `send_at` or, after a requested retry, the due time of that retry. `null` if the
     * delivery was due at `createdAt`.
     */
    readyAt: p.datetime().columnType('timestamptz(3)').nullable(),
    sentAt: p.datetime().columnType('timestamptz(3)').nullable(),
    settledAt: p.datetime().columnType('timestamptz(3)').nullable(),
    providerMessageId: p.text().nullable(),
    failure: p.json<Failure>().nullable(),
    /** The report that the provider sent after it accepted the message; `null` if there is none. */
    receipt: p.json<Receipt>().nullable(),
    /**
     * The recipient's digest, stored when an attempt's outcome is recorded or the delivery is completed without an attempt;
     * `null` until then. It stays `null` if the process that records the outcome has no digest key.
     */
    recipientDigest: p.uuid().nullable(),
    createdAt: p.datetime().columnType('timestamptz(3)'),
  },
})
