import { type Migration, statementsOf } from '../migrate/migration.ts'

const statements = `
create table projects (
  id uuid not null,
  user_id text not null,
  name text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (id),
  constraint projects_user_id_name_unique unique (user_id, name)
);
create index projects_user_id_id_index on projects (user_id, id);

create table flows (
  id uuid not null,
  project_id uuid not null,
  name text not null,
  active boolean not null,
  source_type text not null,
  target text not null,
  override_target boolean not null,
  message_template text not null,
  message_template_type text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (id),
  constraint flows_project_id_foreign foreign key (project_id) references projects (id) on update no action on delete cascade
);
create index flows_project_id_id_index on flows (project_id, id);

create table api_keys (
  id uuid not null,
  user_id text not null,
  name text not null,
  token_hash bytea not null,
  scopes text[] not null,
  project_id uuid null,
  parent_id uuid null,
  bootstrap boolean not null,
  expires_at timestamptz(3) null,
  revoked_at timestamptz(3) null,
  last_used_at timestamptz(3) null,
  created_at timestamptz(3) not null,
  primary key (id),
  constraint api_keys_token_hash_unique unique (token_hash),
  constraint api_keys_project_id_foreign foreign key (project_id) references projects (id) on update no action on delete cascade
);
create index api_keys_user_id_id_index on api_keys (user_id, id);
create index api_keys_project_id_index on api_keys (project_id);
create index api_keys_parent_id_index on api_keys (parent_id);

create table notifications (
  id uuid not null,
  user_id text not null,
  project_id uuid not null,
  status text not null,
  subject text null,
  created_at timestamptz(3) not null,
  settled_at timestamptz(3) null,
  primary key (id)
);
create index notifications_user_id_id_index on notifications (user_id, id);
create index notifications_project_id_id_index on notifications (project_id, id);
create index notifications_user_id_status_id_index on notifications (user_id, status, id);
create index notifications_settled_at_index on notifications (settled_at) where settled_at is not null;
create index notifications_kept_settled_at_index on notifications (settled_at) where settled_at is not null and subject is not null;

create table deliveries (
  id uuid not null,
  notification_id uuid not null,
  user_id text not null,
  project_id uuid not null,
  flow_id uuid not null,
  source_type text not null,
  target text not null,
  status text not null,
  captured boolean not null,
  cancel_requested boolean not null,
  attempt_count int not null,
  attempt_id uuid null,
  first_attempt_at timestamptz(3) null,
  next_attempt_at timestamptz(3) null,
  sent_at timestamptz(3) null,
  settled_at timestamptz(3) null,
  provider_message_id text null,
  failure jsonb null,
  content jsonb null,
  created_at timestamptz(3) not null,
  primary key (id)
);
create index deliveries_notification_id_id_index on deliveries (notification_id, id);
create index deliveries_flow_id_notification_id_index on deliveries (flow_id, notification_id);
create index deliveries_open_project_id_index on deliveries (project_id) where status in ('queued', 'sending', 'retrying');

create table attempts (
  id uuid not null,
  delivery_id uuid not null,
  number int not null,
  started_at timestamptz(3) not null,
  duration_ms int null,
  outcome text not null,
  provider_response text null,
  primary key (id),
  constraint attempts_delivery_id_number_unique unique (delivery_id, number)
);

create table destinations (
  key text not null,
  next_at timestamptz(3) not null,
  tail_at timestamptz(3) not null,
  primary key (key)
);

create table captured_messages (
  delivery_id uuid not null,
  user_id text not null,
  notification_id uuid not null,
  project_id uuid not null,
  flow_id uuid not null,
  source_type text not null,
  kind text not null,
  target text not null,
  subject text not null,
  headers jsonb not null,
  text text null,
  html text null,
  raw text not null,
  captured_at timestamptz(3) not null,
  primary key (delivery_id)
);
create index captured_messages_user_id_delivery_id_index on captured_messages (user_id, delivery_id);
create index captured_messages_captured_at_index on captured_messages (captured_at);

create table idempotency_keys (
  user_id text not null,
  operation text not null,
  key text not null,
  fingerprint bytea not null,
  status int not null,
  headers jsonb not null,
  body text not null,
  created_at timestamptz(3) not null,
  primary key (user_id, operation, key)
);
create index idempotency_keys_created_at_index on idempotency_keys (created_at);
`

/** The tables of the first release. */
export const initial: Migration = {
  name: '20261121000000-initial',
  statements: statementsOf(statements),
}
