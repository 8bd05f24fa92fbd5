import type { Migration } from '../migrate/migration.ts'

/**
 * Adds the table that indexes completed deliveries by recipient, and the table with the digest key. See
 * docs/decisions/0025-search.md.
 */
export const recipientDigests: Migration = {
  name: '20261124000120-recipient-digests',
  statements: [
    `create table recipient_digests (
       digest uuid not null,
       notification_id uuid not null,
       delivery_id uuid not null,
       failure_kind text,
       failure_code text,
       primary key (digest, notification_id, delivery_id)
     )`,
    `create index recipient_digests_failure_code_index on recipient_digests (digest, failure_code, notification_id)
       where failure_code is not null`,
    `create index recipient_digests_failure_kind_index on recipient_digests (digest, failure_kind, notification_id)
       where failure_kind is not null`,
    `alter table recipient_digests set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05,
       autovacuum_analyze_scale_factor = 0.05)`,
    'create table recipient_keys (id int not null, key bytea not null, is_encrypted boolean not null, primary key (id))',
    'alter table deliveries add column recipient_digest uuid',
  ],
}
