import type { Migration } from '../migrate/migration.ts'

/** Adds events, the endpoints that receive them, and the log of requests to endpoints: docs/decisions/0031-events.md. */
export const events: Migration = {
  name: '20261125000300-events',
  statements: [
    // An event position consists of this epoch, followed by a transaction id. Transaction ids start over after a restore, but the
    // restore increases the epoch, so positions always increase.
    'alter table flowpost_identity add column event_epoch int not null default 0',
    `create table events (
       id uuid not null,
       position bigint not null,
       user_id text not null,
       project_id uuid not null,
       type text not null,
       created_at timestamptz(3) not null,
       data text not null,
       primary key (id)
     )`,
    'create index events_user_id_position_id_index on events (user_id, position, id)',
    'create index events_project_id_position_id_index on events (project_id, position, id)',
    `alter table events set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05,
       autovacuum_analyze_scale_factor = 0.05)`,
    `create table event_endpoints (
       id uuid not null,
       project_id uuid not null constraint event_endpoints_project_id_foreign references projects (id) on update no action on delete cascade,
       user_id text not null,
       url text null,
       events text[] not null,
       active boolean not null,
       description text not null,
       secrets bytea not null,
       created_at timestamptz(3) not null,
       updated_at timestamptz(3) not null,
       cursor_position bigint not null,
       cursor_id uuid not null,
       claim int not null default 0,
       lease_until timestamptz null,
       claimed_at timestamptz null,
       failures int not null default 0,
       failing_since timestamptz null,
       next_attempt_at timestamptz null,
       health_status text not null default 'unknown',
       health_code text null,
       health_detail text null,
       health_since timestamptz(3) null,
       primary key (id)
     )`,
    'create index event_endpoints_project_id_id_index on event_endpoints (project_id, id)',
    `create index event_endpoints_pushed_id_index on event_endpoints (id)
       where active and url is not null and health_status <> 'disabled'`,
    // Each pushed event updates its endpoint's row, so this small table needs frequent vacuums.
    'alter table event_endpoints set (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000)',
    `create table event_attempts (
       id uuid not null,
       endpoint_id uuid not null constraint event_attempts_endpoint_id_foreign references event_endpoints (id) on update no action on delete cascade,
       event_id uuid not null,
       type text not null,
       outcome text not null,
       status int null,
       code text null,
       detail text null,
       duration_ms int not null,
       created_at timestamptz(3) not null,
       primary key (id)
     )`,
    'create index event_attempts_endpoint_id_id_index on event_attempts (endpoint_id, id)',
  ],
}
