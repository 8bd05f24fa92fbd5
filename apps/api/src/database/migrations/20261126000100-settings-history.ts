import { type Migration, statementsOf } from '../migrate/migration.ts'

// `named_flow_id` and `has_target` are null in rows that an earlier release wrote.
const statements = `
create table settings_history (
  id uuid not null,
  user_id text not null,
  project_id uuid not null,
  kind text not null,
  action text not null,
  resource_id uuid not null,
  key text null,
  changed_at timestamptz(3) not null,
  changed_by uuid null,
  request_id text not null,
  fields text[] not null,
  before text null,
  after text null,
  resource_created_at timestamptz(3) not null,
  previous_updated_at timestamptz(3) null,
  primary key (id)
);
create index settings_history_user_id_id_index on settings_history (user_id, id);
create index settings_history_project_id_id_index on settings_history (project_id, id);
create index settings_history_resource_id_id_index on settings_history (resource_id, id);
create table settings_history_start (
  single_row boolean not null default true,
  at timestamptz(3) not null,
  primary key (single_row)
);
insert into settings_history_start (at) values (clock_timestamp());
alter table notifications add column named_flow_id uuid null, add column has_target boolean null;
`

/**
 * Adds the settings history. Also adds two columns to `notifications`: the flow that the request named, and whether the
 * request had a target. See docs/decisions/0035-settings-history.md.
 */
export const settingsHistory: Migration = {
  name: '20261126000100-settings-history',
  statements: statementsOf(statements),
}
