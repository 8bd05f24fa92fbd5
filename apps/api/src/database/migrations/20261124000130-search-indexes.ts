import type { Migration } from '../migrate/migration.ts'

/**
 * Adds the indexes for searches by reference and by failure. They contain only notifications with a reference and
 * deliveries with a failure, so they cost nothing for other messages.
 */
export const searchIndexes: Migration = {
  name: '20261124000130-search-indexes',
  transactional: false,
  statements: [
    'drop index concurrently if exists notifications_user_id_reference_id_index',
    `create index concurrently notifications_user_id_reference_id_index on notifications (user_id, reference, id)
       where reference is not null`,
    'drop index concurrently if exists deliveries_failure_code_index',
    `create index concurrently deliveries_failure_code_index on deliveries (user_id, (failure ->> 'code'), notification_id)
       where failure is not null`,
    'drop index concurrently if exists deliveries_failure_kind_index',
    `create index concurrently deliveries_failure_kind_index on deliveries (user_id, (failure ->> 'kind'), notification_id)
       where failure is not null`,
  ],
}
