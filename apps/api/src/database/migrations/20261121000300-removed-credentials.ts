import type { Migration } from '../migrate/migration.ts'

/**
 * Adds a column that marks pending deliveries whose integration was deleted. Marked deliveries must not fall back to the
 * deployment's credential.
 */
export const removedCredentials: Migration = {
  name: '20261121000300-removed-credentials',
  statements: ['alter table deliveries add column credential_removed boolean not null default false'],
}
