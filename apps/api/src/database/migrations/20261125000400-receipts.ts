import type { Migration } from '../migrate/migration.ts'

/**
 * Adds the receipts of deliveries, and the hashes of the addresses at which integrations receive reports. Both are null for
 * deliveries and integrations without them, so these columns take no space there.
 */
export const receipts: Migration = {
  name: '20261125000400-receipts',
  statements: [
    'alter table deliveries add column receipt jsonb',
    `alter table integrations add column inbound_hash bytea, add column inbound_rotated_at timestamptz(3),
       add column previous_inbound_hash bytea, add column previous_inbound_expires_at timestamptz(3)`,
  ],
}
