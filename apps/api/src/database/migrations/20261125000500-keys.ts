import type { Migration } from '../migrate/migration.ts'

/** Adds the keys that name projects and flows in files and code. They are null for resources without a key. */
export const keys: Migration = {
  name: '20261125000500-keys',
  statements: [
    'alter table projects add column key text',
    'create unique index projects_user_id_key_unique on projects (user_id, key)',
    'alter table flows add column key text',
    'create unique index flows_project_id_key_unique on flows (project_id, key)',
  ],
}
