import type { ClientConfig } from 'pg'
import { plannerStatements } from '../query-hints.ts'
import type { WatchedClient } from './watched-client.ts'

/** The maximum time, in milliseconds, to open a connection or to wait for a free connection in the pool. */
export const connectTimeoutMs = 5_000

/** The maximum duration of a statement, in milliseconds. PostgreSQL enforces it. */
export const statementTimeoutMs = 30_000

// With node-postgres, a parameter in the URL takes precedence over the option of the same name. The URL must not replace the
// application name, because the restore command uses this name to find running servers.
const withoutApplicationName = (url: string): string => url.replace(/(?<=[?&])application_name=[^&#]*&?/g, '')

/** Returns the options for every connection to a PostgreSQL server. */
export const connectionOptions = (url: string, applicationName: string): ClientConfig => ({
  connectionString: withoutApplicationName(url),
  application_name: applicationName,
  connectionTimeoutMillis: connectTimeoutMs,
  keepAlive: true,
  // After this idle time, Node probes every second and gives up after ten probes, so a dead host is noticed within 15 s.
  keepAliveInitialDelayMillis: 5_000,
})

// With these timeouts, PostgreSQL quickly detects a dead client and releases the client's locks. With PostgreSQL's default
// timeouts, detection takes at least two hours.
const settings = {
  // PostgreSQL must send warnings. A warning is the only sign that the synchronous standby has not confirmed a commit.
  client_min_messages: 'warning',
  // The server may have other defaults. Flowpost reads timestamps in ISO format, and its statements expect to see rows that other
  // transactions have committed meanwhile.
  DateStyle: 'ISO',
  default_transaction_isolation: 'read committed',
  statement_timeout: `${statementTimeoutMs}ms`,
  idle_in_transaction_session_timeout: '15s',
  tcp_keepalives_idle: '5',
  tcp_keepalives_interval: '2',
  tcp_keepalives_count: '3',
  tcp_user_timeout: '10s',
}

// PgBouncer rejects these settings as startup parameters, so statements set them.
const sessionStatements = [
  ...Object.entries(settings).map(([name, value]) => `set ${name} = '${value}';`),
  plannerStatements,
  'select pg_backend_pid() as pid, pg_is_in_recovery() as standby',
].join(' ')

/** Thrown when a new connection reaches a read-only server. */
class StandbyError extends Error {
  override readonly name = 'StandbyError'
  readonly code = '25006'
}

/**
 * Prepares a new connection for its first statement.
 * @throws StandbyError when the server is a standby. The error is treated as a temporary outage, because the next
 * connection may reach the primary.
 */
export const openSession = async (client: WatchedClient): Promise<void> => {
  // `results` has one result for each statement.
  const results = (await client.query(sessionStatements)) as unknown as { rows: { pid: number; standby: boolean }[] }[]
  const row = results.at(-1)?.rows[0]
  client.backendPid = row?.pid
  if (row?.standby) throw new StandbyError('The PostgreSQL server is a read-only standby.')
}
