import type { Failure } from '@flowpost/domain'
import { defineEntity, p } from '@mikro-orm/core'

/**
 * A delivery as it is stored. There are no foreign keys on purpose: the log outlives flows and
 * projects, and keys on this table would cost a third of the accepting speed.
 */
export const DeliveryEntity = defineEntity({
  name: 'Delivery',
  tableName: 'deliveries',
  indexes: [
    { name: 'deliveries_notification_id_id_index', properties: ['notificationId', 'id'] },
    { name: 'deliveries_flow_id_notification_id_index', properties: ['flowId', 'notificationId'] },
    { name: 'deliveries_open_project_id_index', properties: ['projectId'], where: `"status" in ('queued', 'sending', 'retrying')` },
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
    /** Fixed at acceptance: whether the message is captured instead of sent. */
    captured: p.boolean(),
    /** Its flow or project is gone: a sending delivery is not to be retried. */
    cancelRequested: p.boolean(),
    /** Its project's own credential was deleted while it waited: the deployment's does not stand in. */
    credentialRemoved: p.boolean().default(false),
    attemptCount: p.integer(),
    /** The attempt that may settle the delivery. A worker whose lease ran out finds another one here. */
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

/** One try at a delivery, as it is stored. */
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
