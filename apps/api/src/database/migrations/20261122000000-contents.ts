import type { Migration } from '../migrate/migration.ts'

/**
 * Moves subjects and message bodies to a separate table, because they are deleted earlier than their notifications and
 * deliveries. In the separate table, their rows are deleted. Otherwise, their columns would have to be cleared, which takes
 * longer: PostgreSQL then writes a new version of the row and, if the page is full, adds an entry to each index. See
 * docs/decisions/0013-message-bodies-table.md.
 */
export const contents: Migration = {
  name: '20261122000000-contents',
  statements: [
    // Copying may take longer than the statement timeout.
    'set local statement_timeout = 0',
    // Without this lock, the copy would miss messages that another process accepts in the meantime.
    'lock table notifications, deliveries in access exclusive mode',
    `create table contents (
         notification_id uuid not null,
         delivery_id uuid not null,
         subject text null,
         content jsonb not null,
         primary key (notification_id, delivery_id)
       )`,
    `insert into contents (notification_id, delivery_id, subject, content)
       select d.notification_id, d.id, n.subject, d.content from deliveries d join notifications n on n.id = d.notification_id
       where d.content is not null order by d.notification_id, d.id`,
    'drop index notifications_kept_settled_at_index',
    'alter table notifications drop column subject',
    'alter table deliveries drop column content',
    'alter table contents set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05)',
    // Each status change leaves a dead entry in the status index. Lists filtered by status read these entries until a
    // vacuum removes them from the index.
    'alter table notifications set (autovacuum_vacuum_scale_factor = 0.005, vacuum_index_cleanup = on)',
  ],
}
