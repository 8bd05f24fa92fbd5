import { type Migration, statementsOf } from '../migrate/migration.ts'

const statements = `
create table suppressions (
  id uuid not null,
  project_id uuid not null,
  digest uuid not null,
  source_type text not null,
  target text null,
  reason text not null,
  source text not null,
  created_at timestamptz(3) not null,
  primary key (id),
  constraint suppressions_project_id_digest_source_type_unique unique (project_id, digest, source_type),
  constraint suppressions_project_id_foreign foreign key (project_id) references projects (id) on update no action on delete cascade
);
create index suppressions_project_id_id_index on suppressions (project_id, id);
`

/** Adds the suppression lists: docs/decisions/0029-suppression-lists.md. */
export const suppressions: Migration = {
  name: '20261125000200-suppressions',
  statements: statementsOf(statements),
}
