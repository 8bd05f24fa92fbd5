import { defineEntity, p } from '@mikro-orm/core'
import type { AppliedFilter } from './bulk-action.serializer.ts'

/** The `bulk_actions` table. An action outlives its project and the credential that created it. */
export const BulkActionEntity = defineEntity({
  name: 'BulkAction',
  tableName: 'bulk_actions',
  indexes: [
    { name: 'bulk_actions_user_id_id_index', properties: ['userId', 'id'] },
    // This index contains only running actions, so looking for work is cheap.
    { name: 'bulk_actions_next_step_at_index', properties: ['nextStepAt'], where: `"status" = 'running'` },
    // Retention uses this index.
    { name: 'bulk_actions_completed_at_index', properties: ['completedAt'], where: '"completed_at" is not null' },
  ],
  properties: {
    id: p.uuid().primary(),
    userId: p.text(),
    projectId: p.uuid(),
    action: p.text(),
    /** The filter, with the names and value formats of the API. */
    filter: p.json<AppliedFilter>(),
    spreadSeconds: p.integer(),
    /** Whether a test key created the action. Such an action retries only test messages. */
    test: p.boolean(),
    status: p.text(),
    matched: p.integer().default(0),
    done: p.integer().default(0),
    skipped: p.integer().default(0),
    /**
     * This field and `cursorDeliveryId` are the action's position. The next step continues after the position. There may be no
     * delivery at the position, for example before the first step.
     */
    cursorNotificationId: p.uuid(),
    cursorDeliveryId: p.uuid(),
    /** The id of the last notification in the action's range. It is fixed when the action is created. */
    lastNotificationId: p.uuid(),
    /** The ids of deliveries that the action has retried and that may still be queued. */
    waitingIds: p.array().columnType('uuid[]').default([]),
    nextStepAt: p.datetime().columnType('timestamptz(3)'),
    /** The id of the request that created the action. */
    requestId: p.text().nullable(),
    /** The W3C trace context of the request `requestId`, if that request was traced. */
    traceContext: p.text().nullable(),
    createdAt: p.datetime().columnType('timestamptz(3)'),
    completedAt: p.datetime().columnType('timestamptz(3)').nullable(),
  },
})
