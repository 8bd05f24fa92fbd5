import { Migration } from '@mikro-orm/migrations'

/**
 * Moves subjects and message bodies to a separate table, because they are deleted earlier than the log. Setting a column of
 * the log to null would rewrite the row, with a new entry in each index of a table with millions of rows. A row in a
 * separate table is simply deleted, together with the rows that were inserted at the same time.
 */
export class ContentsMigration extends Migration {
  override async up(): Promise<void> {
    // Copying may take longer than the statement timeout. Without the lock, messages that another process accepts in the
    // meantime would not be copied.
    this.addSql('set local statement_timeout = 0')
    this.addSql('lock table notifications, deliveries in access exclusive mode')
    this.addSql(
      `create table contents (
         notification_id uuid not null,
         delivery_id uuid not null,
         subject text null,
         content jsonb not null,
         primary key (notification_id, delivery_id)
       )`,
    )
    this.addSql(
      `insert into contents (notification_id, delivery_id, subject, content)
       select d.notification_id, d.id, n.subject, d.content from deliveries d join notifications n on n.id = d.notification_id
       where d.content is not null order by d.notification_id, d.id`,
    )
    this.addSql('drop index notifications_kept_settled_at_index')
    this.addSql('alter table notifications drop column subject')
    this.addSql('alter table deliveries drop column content')
    this.addSql(
      'alter table contents set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05)',
    )
    // Each change of a status leaves a dead entry in the status index. Lists filtered by status read these entries until a
    // vacuum of the index removes them.
    this.addSql('alter table notifications set (autovacuum_vacuum_scale_factor = 0.005, vacuum_index_cleanup = on)')
  }
}
