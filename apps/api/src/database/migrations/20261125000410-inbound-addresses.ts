import type { Migration } from '../migrate/migration.ts'

/**
 * Adds the indexes that find an integration by its inbound address. They contain only integrations that have an inbound
 * address.
 */
export const inboundAddresses: Migration = {
  name: '20261125000410-inbound-addresses',
  transactional: false,
  statements: [
    'drop index concurrently if exists integrations_inbound_hash_index',
    'create index concurrently integrations_inbound_hash_index on integrations (inbound_hash) where inbound_hash is not null',
    'drop index concurrently if exists integrations_previous_inbound_hash_index',
    `create index concurrently integrations_previous_inbound_hash_index on integrations (previous_inbound_hash)
       where previous_inbound_hash is not null`,
  ],
}
