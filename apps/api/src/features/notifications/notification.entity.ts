import { defineEntity, p } from '@mikro-orm/core'

/** The table of notifications. A notification outlives its project, so no foreign key references the project. */
export const NotificationEntity = defineEntity({
  name: 'Notification',
  tableName: 'notifications',
  indexes: [
    { name: 'notifications_user_id_id_index', properties: ['userId', 'id'] },
    { name: 'notifications_project_id_id_index', properties: ['projectId', 'id'] },
    { name: 'notifications_user_id_status_id_index', properties: ['userId', 'status', 'id'] },
    // Used by retention. A row enters the index only on completion, so it costs nothing when a notification is accepted.
    { name: 'notifications_settled_at_index', properties: ['settledAt'], where: '"settled_at" is not null' },
  ],
  properties: {
    id: p.uuid().primary(),
    userId: p.text(),
    projectId: p.uuid(),
    /** Aggregated from the statuses of the deliveries by each transaction that changes one of them. */
    status: p.text(),
    createdAt: p.datetime().columnType('timestamptz(3)'),
    settledAt: p.datetime().columnType('timestamptz(3)').nullable(),
  },
})
