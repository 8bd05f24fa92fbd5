/** A statement that may read or change messages of several users at once. */
export interface CrossUserStatement {
  /** The beginning of the statement. */
  readonly startsWith: string
  /** The tables whose rows are not restricted to given users or ids. */
  readonly tables: readonly string[]
  readonly reason: string
}

/** All statements that may span users. `statements.test.ts` fails if it finds another one. */
export const crossUserStatements: readonly CrossUserStatement[] = [
  {
    startsWith: 'with claimed as materialized ( select due.delivery_id, due.project_id from generate_series',
    tables: ['delivery_jobs'],
    reason: 'A worker claims the due jobs of all users, in the order of their priorities.',
  },
  {
    startsWith: 'update delivery_jobs set due_at = now(), leased = false where leased',
    tables: ['delivery_jobs'],
    reason: 'An embedded database ends all leases at startup, because their process has ended.',
  },
  {
    startsWith: 'select user_id as "userId", project_id as "projectId", (count(*)',
    tables: ['delivery_jobs'],
    reason: 'The queue limit needs the number of pending deliveries of every project.',
  },
  {
    startsWith:
      'select d.id, d.notification_id, d.created_at < $2 and (d.next_attempt_at is null and d.ready_at >= $2) is not true as "isOlder" from deliveries d where d.id = any(array(select delivery_id',
    tables: ['delivery_jobs'],
    reason: 'After a restore, the operator may cancel the open deliveries of all users.',
  },
  {
    startsWith: 'with by_user as ( select count(*) filter (where due_at <= now()) as due',
    tables: ['delivery_jobs'],
    reason: 'The metrics contain the state of the queue.',
  },
  {
    startsWith: 'with page as materialized ( select notification_id from message_bodies',
    tables: ['message_bodies'],
    reason: 'Retention deletes the expired message bodies of all users.',
  },
  {
    startsWith: 'with page as materialized ( select id from notifications where settled_at < $1',
    tables: ['notifications'],
    reason: 'Retention deletes the expired log of all users.',
  },
  {
    startsWith: 'delete from settings_history where id in ( select id from settings_history where id < $1',
    tables: ['settings_history'],
    reason: 'Retention deletes the expired settings history of all users.',
  },
  {
    startsWith: 'delete from captured_messages where delivery_id in ( select delivery_id from captured_messages where captured_at < $1',
    tables: ['captured_messages'],
    reason: 'Retention deletes the expired captured messages of all users.',
  },
  {
    startsWith:
      'select delivery_id, notification_id, project_id, flow_id, source_type, kind, target, subject, captured_at from captured_messages where delivery_id < $1',
    tables: ['captured_messages'],
    reason:
      'The operator sees the captured messages of all users in the outbox. When a user reads the outbox, the statement contains the id of the user.',
  },
  {
    startsWith: 'with examined as materialized ( select e.id, e.user_id, e.project_id, e.health_status, e.claimed_at',
    tables: ['event_endpoints'],
    reason: 'A worker claims the event endpoints of all users that have events to receive.',
  },
  {
    startsWith: 'select coalesce(extract(epoch from now() - min(n.created_at)), 0)::float8 as seconds from event_endpoints',
    tables: ['event_endpoints'],
    reason: 'The metrics contain the age of the oldest event that has not been pushed.',
  },
  {
    startsWith: 'select id, secrets from event_endpoints where id > $1',
    tables: ['event_endpoints'],
    reason: 'The operator encrypts the secrets of all users with a new key.',
  },
  {
    startsWith: 'delete from events where id in ( select id from events where id < $1',
    tables: ['events'],
    reason: 'Retention deletes the expired events of all users.',
  },
]
