import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** The `projects` table. Each project belongs to one user, and contains flows and provider credentials. */
export const ProjectEntity = defineEntity({
  name: 'Project',
  tableName: 'projects',
  uniques: [
    { name: 'projects_user_id_name_unique', properties: ['userId', 'name'] },
    { name: 'projects_user_id_key_unique', properties: ['userId', 'key'] },
  ],
  indexes: [{ name: 'projects_user_id_id_index', properties: ['userId', 'id'] }],
  properties: {
    id: p.uuid().primary(),
    userId: p.text(),
    name: p.text(),
    key: p.text().nullable(),
    createdAt: p.datetime().columnType('timestamptz(3)'),
    updatedAt: p.datetime().columnType('timestamptz(3)'),
  },
})

/** A row of the `projects` table. */
export type ProjectEntity = InferEntity<typeof ProjectEntity>
