import { defineEntity, p } from '@mikro-orm/core'

/** The `settings_history` table. An entry outlives its project, so no foreign key references the project. */
export const SettingsHistoryEntity = defineEntity({
  name: 'SettingsHistory',
  tableName: 'settings_history',
  indexes: [
    { name: 'settings_history_user_id_id_index', properties: ['userId', 'id'] },
    { name: 'settings_history_project_id_id_index', properties: ['projectId', 'id'] },
    { name: 'settings_history_resource_id_id_index', properties: ['resourceId', 'id'] },
  ],
  properties: {
    /** A UUIDv7. It starts with the time of the change, so sorting a resource's entries by id sorts them by time. */
    id: p.uuid().primary(),
    userId: p.text(),
    projectId: p.uuid(),
    kind: p.text(),
    action: p.text(),
    resourceId: p.uuid(),
    key: p.text().nullable(),
    changedAt: p.datetime().columnType('timestamptz(3)'),
    changedBy: p.uuid().nullable(),
    requestId: p.text(),
    fields: p.array().columnType('text[]'),
    /** The settings before the change as JSON; `null` for a creation. */
    before: p.text().nullable(),
    /** The settings after the change as JSON; `null` for a deletion. */
    after: p.text().nullable(),
    resourceCreatedAt: p.datetime().columnType('timestamptz(3)'),
    /** The resource's `updated_at` before the change; `null` for a creation. */
    previousUpdatedAt: p.datetime().columnType('timestamptz(3)').nullable(),
  },
})

/** The `settings_history_start` table. Its only row has the time from which the history is complete. */
export const SettingsHistoryStartEntity = defineEntity({
  name: 'SettingsHistoryStart',
  tableName: 'settings_history_start',
  properties: {
    singleRow: p.boolean().primary().default(true),
    at: p.datetime().columnType('timestamptz(3)'),
  },
})
