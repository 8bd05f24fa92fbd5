import type { Migration } from '../migrate/migration.ts'

/**
 * Adds the optional keys that name projects and flows in files and code. The indexes are built concurrently, because
 * every message reads these tables, and the tables may have millions of rows.
 */
export const keys: Migration = {
  name: '20261125000500-keys',
  transactional: false,
  statements: [
    'alter table projects add column if not exists key text',
    'drop index concurrently if exists projects_user_id_key_unique',
    'create unique index concurrently projects_user_id_key_unique on projects (user_id, key)',
    'alter table flows add column if not exists key text',
    'drop index concurrently if exists flows_project_id_key_unique',
    'create unique index concurrently flows_project_id_key_unique on flows (project_id, key)',
  ],
}
