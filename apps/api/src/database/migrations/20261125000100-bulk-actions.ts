import type { Migration } from '../migrate/migration.ts'

/** Adds the table of bulk actions: docs/decisions/0028-bulk-actions.md. */
export const bulkActions: Migration = {
  name: '20261125000100-bulk-actions',
  statements: [
    `create table bulk_actions (
       id uuid not null,
       user_id text not null,
       project_id uuid not null,
       action text not null,
       filter jsonb not null,
       spread_seconds int not null,
       test boolean not null,
       status text not null,
       matched int not null default 0,
       done int not null default 0,
       skipped int not null default 0,
       cursor_notification_id uuid not null,
       cursor_delivery_id uuid not null,
       last_notification_id uuid not null,
       waiting_ids uuid[] not null default '{}',
       next_step_at timestamptz(3) not null,
       request_id text null,
       trace_context text null,
       created_at timestamptz(3) not null,
       completed_at timestamptz(3) null,
       primary key (id)
     )`,
    'create index bulk_actions_user_id_id_index on bulk_actions (user_id, id)',
    `create index bulk_actions_next_step_at_index on bulk_actions (next_step_at) where status = 'running'`,
    'create index bulk_actions_completed_at_index on bulk_actions (completed_at) where completed_at is not null',
  ],
}
