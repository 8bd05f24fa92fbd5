import type { Migration } from '../migrate/migration.ts'

/**
 * Adds the index for the outbox's filter by provider. Without it, each poll of a list for a rare provider reads all captured
 * messages. The index contains only captured messages, so sent messages do not write to it.
 */
export const capturedSourceType: Migration = {
  name: '20261128000100-captured-source-type',
  transactional: false,
  statements: [
    'drop index concurrently if exists captured_messages_source_type_delivery_id_index',
    'create index concurrently captured_messages_source_type_delivery_id_index on captured_messages (source_type, delivery_id)',
  ],
}
