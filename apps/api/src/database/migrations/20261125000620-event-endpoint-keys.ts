import type { Migration } from '../migrate/migration.ts'

/** Adds the keys that name event endpoints in files and code. They are null for endpoints without a key. */
export const eventEndpointKeys: Migration = {
  name: '20261125000620-event-endpoint-keys',
  statements: [
    'alter table event_endpoints add column key text',
    'create unique index event_endpoints_project_id_key_unique on event_endpoints (project_id, key)',
  ],
}
