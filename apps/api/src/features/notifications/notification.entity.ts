import { defineEntity, p } from '@mikro-orm/core'

/** The `notifications` table. A notification outlives its project, so no foreign key references the project. */
export const NotificationEntity = defineEntity({
  name: 'Notification',
  tableName: 'notifications',
  indexes: [
    { name: 'notifications_user_id_id_index', properties: ['userId', 'id'] },
    { name: 'notifications_project_id_id_index', properties: ['projectId', 'id'] },
    { name: 'notifications_user_id_status_id_index', properties: ['userId', 'status', 'id'] },
    {
      name: 'notifications_user_id_reference_id_index',
      properties: ['userId', 'reference', 'id'],
      where: '"reference" is not null',
    },
    // Retention uses this index. It contains only completed notifications, so it adds no cost when a notification is
    // accepted.
    { name: 'notifications_settled_at_index', properties: ['settledAt'], where: '"settled_at" is not null' },
  ],
  properties: {
    id: p.uuid().primary(),
    userId: p.text(),
    projectId: p.uuid(),
    /**
     * The aggregate of the delivery statuses. Each transaction that changes a delivery's status also updates the
     * aggregate.
     */
    status: p.text(),
    /** `true` if the notification was sent with a test key; otherwise `null`. */
    test: p.boolean().nullable(),
    /** The `reference` in the send request; `null` if it had none. */
    reference: p.text().nullable(),
    /** The `metadata` in the send request; `null` if it had none. The type `json` keeps the order of the keys. */
    metadata: p.json<Record<string, string>>().columnType('json').nullable(),
    /**
     * The id of the flow that the request named; `null` if the request named no flow, or if an earlier release accepted
     * the notification without recording this.
     */
    namedFlowId: p.uuid().nullable(),
    /**
     * Whether the request had a `target`; `null` if an earlier release accepted the notification without recording
     * this.
     */
    hasTarget: p.boolean().nullable(),
    createdAt: p.datetime().columnType('timestamptz(3)'),
    expiresAt: p.datetime().columnType('timestamptz(3)').nullable(),
    settledAt: p.datetime().columnType('timestamptz(3)').nullable(),
  },
})
