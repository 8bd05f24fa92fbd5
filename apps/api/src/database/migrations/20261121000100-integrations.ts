import { type Migration, statementsOf } from '../migrate/migration.ts'

const statements = `
create table integrations (
  project_id uuid not null,
  source_type text not null,
  id uuid not null,
  settings jsonb not null,
  secret_names text[] not null,
  secrets bytea null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (project_id, source_type),
  constraint integrations_project_id_foreign foreign key (project_id) references projects (id) on update no action on delete cascade
);

alter table flows
  add column health_status text not null default 'unknown',
  add column health_code text null,
  add column health_detail text null,
  add column health_since timestamptz(3) null,
  add column checked_at timestamptz(3) null,
  add column failing_kind text null,
  add column failures_in_row int not null default 0;
`

/** Adds the table of integrations (projects' provider credentials) and the columns for flow health. */
export const integrations: Migration = {
  name: '20261121000100-integrations',
  statements: statementsOf(statements),
}
