import type { Client } from 'pg'

/**
 * A statement that writes, so that its commit waits until the synchronous standby has stored this commit and all earlier
 * ones. A commit without a write would not wait.
 */
export const awaitReplication = {
  name: 'await-replication',
  text: `select case when current_setting('synchronous_standby_names') <> '' then pg_logical_emit_message(true, 'flowpost', '') end`,
}

const waitingCommits = `select from pg_stat_activity where wait_event = 'SyncRep' and usename = current_user limit 1`

/**
 * Checks, on a new connection, whether PostgreSQL can commit. A simple query would not show this: it succeeds even while
 * all of the pool's connections are waiting for a synchronous standby.
 * @throws when commits wait for a synchronous standby.
 */
export const requireCommits = async (client: Client): Promise<void> => {
  const { rowCount } = await client.query(waitingCommits)
  if (rowCount) throw new Error('Commits are waiting for a synchronous standby of PostgreSQL.')
}
