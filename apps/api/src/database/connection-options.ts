import type { ClientConfig } from 'pg'
import { plannerStatements } from './query-hints.ts'
import type { WatchedClient } from './watched-client.ts'

/** How long a connection may take to open, and a caller may wait for a free one, in milliseconds. */
export const connectTimeoutMs = 5_000

/** How long PostgreSQL lets a statement run, in milliseconds. */
export const statementTimeoutMs = 30_000

/** What every connection to the server of a URL has in common. */
export const connectionOptions = (url: string, applicationName: string): ClientConfig => ({
  connectionString: url,
  application_name: applicationName,
  connectionTimeoutMillis: connectTimeoutMs,
  keepAlive: true,
  // After that, Node asks every second and gives up after ten: a host that is gone is noticed within 15 s.
  keepAliveInitialDelayMillis: 5_000,
})

// What a client that is gone has locked must be free soon: these make the server notice, by itself in two hours at the earliest.
const settings = {
  statement_timeout: `${statementTimeoutMs}ms`,
  idle_in_transaction_session_timeout: '15s',
  tcp_keepalives_idle: '5',
  tcp_keepalives_interval: '2',
  tcp_keepalives_count: '3',
  tcp_user_timeout: '10s',
}

// Not as start-up parameters, which PgBouncer refuses.
const sessionStatements = [
  ...Object.entries(settings).map(([name, value]) => `set ${name} = '${value}';`),
  plannerStatements,
  'select pg_backend_pid() as pid, pg_is_in_recovery() as standby',
].join(' ')

/** Rejects a connection to a server that cannot be written to. */
class StandbyError extends Error {
  override readonly name = 'StandbyError'
  readonly code = '25006'
}

/**
 * Prepares a new connection before anything else is asked on it.
 * @throws StandbyError when the server is a standby; it counts as unavailable, because the next connection may reach the primary.
 */
export const openSession = async (client: WatchedClient): Promise<void> => {
  // One result for each statement.
  const results = (await client.query(sessionStatements)) as unknown as { rows: { pid: number; standby: boolean }[] }[]
  const row = results.at(-1)?.rows[0]
  client.backendPid = row?.pid
  if (row?.standby) throw new StandbyError('The PostgreSQL server is a standby, which cannot be written to.')
}
