import type { LogLine } from './log-line.ts'

/** The log lines about PostgreSQL, migrations and the embedded database. */
export const databaseLines: readonly LogLine[] = [
  {
    id: 'database-not-reachable-yet',
    level: 'warn',
    message: 'PostgreSQL cannot be reached yet; retrying.',
    cause: 'The process is starting. It waits for its database for at most `seconds_left` more seconds.',
    remedy: 'If PostgreSQL is running, check `DATABASE_URL` and the network between the process and PostgreSQL. `reason` says what failed.',
  },
  {
    id: 'database-unreachable',
    level: 'warn',
    message: 'PostgreSQL cannot be reached. Requests receive a 503 response until it can be reached again.',
    cause: 'An outage of the database or the network began. The line is written once per outage.',
    remedy:
      'Restore the database or the network connection; see [PostgreSQL outages](/operate/production#postgresql-outages). Accepted messages are safe.',
  },
  {
    id: 'database-reachable',
    level: 'warn',
    message: 'PostgreSQL can be reached again.',
    cause: 'The outage ended. `seconds` is its duration.',
    remedy: 'No action is needed: the process continues.',
  },
  {
    id: 'database-rejects',
    level: 'warn',
    message: 'PostgreSQL rejects statements: ….',
    cause:
      'PostgreSQL can be reached but rejects statements, for example because it is a standby or its disk is full. `code` is the SQLSTATE.',
    remedy: 'Fix the cause stated in the message.',
  },
  {
    id: 'database-accepts',
    level: 'warn',
    message: 'PostgreSQL no longer rejects statements with the error code …; the last such error was at least … s ago.',
    cause: 'The problem has ended. `seconds` is the time from the first such error to the last, and `errors` is their number.',
    remedy: 'No action is needed.',
  },
  {
    id: 'connections-silent',
    level: 'warn',
    message: 'Connections to PostgreSQL went silent and were closed.',
    cause: 'PostgreSQL or a proxy dropped connections without closing them, for example during a failover.',
    remedy:
      'No action is needed unless the line repeats. If it does, check idle timeouts of proxies and firewalls between the process and PostgreSQL.',
  },
  {
    id: 'listen-lost',
    level: 'warn',
    message: 'LISTEN connection lost; reconnecting.',
    cause:
      'The process does not receive `NOTIFY` messages from PostgreSQL. Until the connection is restored, the process uses no caches and finds jobs by polling.',
    remedy: 'No action is needed unless the line repeats. Behind PgBouncer, this connection needs session pooling.',
  },
  {
    id: 'listen-restored',
    level: 'info',
    message: 'LISTEN connection restored.',
    cause: 'The process receives `NOTIFY` messages from PostgreSQL again.',
    remedy: 'No action is needed.',
  },
  {
    id: 'clock-skew',
    level: 'warn',
    message: '…. Synchronize them.',
    cause:
      "This machine's clock differs from PostgreSQL's clock. Flowpost uses PostgreSQL's time. A difference of more than a minute ends the process.",
    remedy: 'Synchronize the clocks of both machines with NTP.',
  },
  {
    id: 'no-autovacuum',
    level: 'warn',
    message: "PostgreSQL does not vacuum Flowpost's tables: …. … To fix: … (docs/operations.md).",
    cause: 'Autovacuum is off on the server or for a table, or `track_counts` is off, which disables autovacuum.',
    remedy: 'Follow the instructions in the message; see [Vacuum](/operate/production#vacuum).',
  },
  {
    id: 'vacuum-failed',
    level: 'warn',
    message: 'Could not vacuum the embedded database; retrying later.',
    cause: 'A statement on the embedded database failed.',
    remedy: 'No action is needed unless the line repeats. In that case, check the free disk space.',
  },
  {
    id: 'migration-lock',
    level: 'warn',
    message: 'Waiting for another process to finish migrating the database.',
    cause: 'Only one process at a time can migrate the database, and another process holds the migration lock.',
    remedy: 'If another process is running, no action is needed. Otherwise, look for a session in PostgreSQL that holds an advisory lock.',
  },
  {
    id: 'migrations-pending',
    level: 'warn',
    message: 'Waiting for migrations, because FLOWPOST_MIGRATE is off.',
    cause: 'The database lacks the migrations in `pending`. The process waits for at most `seconds_left` more seconds.',
    remedy: 'Run `npx pnpm migrate`; see [Upgrading](/guides/upgrading).',
  },
  {
    id: 'migration-retried',
    level: 'warn',
    message: 'A migration did not get a lock; retrying.',
    cause: 'A long transaction uses a table that the migration changes.',
    remedy:
      'No action is needed unless the line repeats. In that case, end the transaction, which may belong to a dump or a forgotten session.',
  },
  {
    id: 'migration-applied',
    level: 'info',
    message: 'Migration applied.',
    cause: 'The process applied the migration in `migration` to PostgreSQL.',
    remedy: 'No action is needed.',
  },
  {
    id: 'migrations-applied',
    level: 'info',
    message: 'Migrations applied.',
    cause: 'At startup, the process applied the pending migrations to the embedded database.',
    remedy: 'No action is needed.',
  },
]
