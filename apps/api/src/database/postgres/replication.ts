import type { Client } from 'pg'

/**
 * A statement whose commit waits until the synchronous standby, if there is one, has stored all earlier commits. The statement
 * writes to the transaction log, because a commit without a write would not wait.
 */
export const awaitReplication = {
  name: 'await-replication',
  text: `select case when current_setting('synchronous_standby_names') <> '' then pg_logical_emit_message(true, 'flowpost', '') end`,
}

const waitingCommits = `select from pg_stat_activity where wait_event = 'SyncRep' and usename = current_user limit 1`

/**
 * Checks that no commit is waiting for a synchronous standby. A query such as `select 1` cannot check this, because it
 * succeeds even while commits are waiting.
 * @param client a new connection, because every connection of the pool may be waiting for a commit.
 * @throws when commits wait for a synchronous standby.
 */
export const requireCommits = async (client: Client): Promise<void> => {
  const { rowCount } = await client.query(waitingCommits)
  if (rowCount) throw new Error('Commits are waiting for a synchronous standby of PostgreSQL.')
}
