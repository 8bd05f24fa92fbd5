import { Migration } from '@mikro-orm/migrations'

/**
 * What is removed sooner than the log is kept apart from it. A row that is emptied is written again, with a new entry in each
 * index of a log of millions; a row of its own is only deleted, and what was stored together is removed together.
 */
export class ContentsMigration extends Migration {
  override async up(): Promise<void> {
    // Copying takes as long as it takes, and what another process accepted meanwhile would not be copied.
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
    // Each status that a notification passes leaves an entry in the index by status, which only a vacuum of the indexes sweeps,
    // and a list by that status reads until then.
    this.addSql('alter table notifications set (autovacuum_vacuum_scale_factor = 0.005, vacuum_index_cleanup = on)')
  }
}
