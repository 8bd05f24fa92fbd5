import { defineEntity, p } from '@mikro-orm/core'

/** The `notifications` table. A notification outlives its project, so no foreign key references the project. */
export const NotificationEntity = defineEntity({
  name: 'Notification',
  tableName: 'notifications',
  indexes: [
    { name: 'notifications_user_id_id_index', properties: ['userId', 'id'] },
    { name: 'notifications_project_id_id_index', properties: ['projectId', 'id'] },
    { name: 'notifications_user_id_status_id_index', properties: ['userId', 'status', 'id'] },
    // Used by retention. Only completed notifications are in the index, so it adds no cost when a notification is accepted.
    { name: 'notifications_settled_at_index', properties: ['settledAt'], where: '"settled_at" is not null' },
  ],
  properties: {
    id: p.uuid().primary(),
    userId: p.text(),
    projectId: p.uuid(),
    /** Aggregated from the statuses of the deliveries. Each transaction that changes one of these updates the aggregate. */
    status: p.text(),
    createdAt: p.datetime().columnType('timestamptz(3)'),
    settledAt: p.datetime().columnType('timestamptz(3)').nullable(),
  },
})
