import type { Migration } from '../migrate/migration.ts'

/**
 * Adds delivery receipts, and the hashes of the addresses at which integrations receive reports. The columns are null,
 * and take no space, for deliveries without a receipt and integrations without an address.
 */
export const receipts: Migration = {
  name: '20261125000400-receipts',
  statements: [
    'alter table deliveries add column receipt jsonb',
    `alter table integrations add column inbound_hash bytea, add column inbound_rotated_at timestamptz(3),
       add column previous_inbound_hash bytea, add column previous_inbound_expires_at timestamptz(3)`,
  ],
}
