import { type Migration, statementsOf } from '../migrate/migration.ts'

const statements = `
create table erasures (
  id uuid not null,
  user_id text not null,
  digest uuid not null,
  source_type text not null,
  block boolean not null,
  status text not null,
  deliveries int not null,
  requested_by uuid null,
  created_at timestamptz(3) not null,
  done_at timestamptz(3) null,
  address bytea null,
  phase text null,
  position text null,
  due_at timestamptz(3) null,
  claim int not null,
  primary key (id)
);
create index erasures_due_at_index on erasures (due_at) where due_at is not null;
`

/** Adds recipient erasures: docs/decisions/0030-erasure.md. */
export const erasures: Migration = {
  name: '20261125000210-erasures',
  statements: statementsOf(statements),
}
