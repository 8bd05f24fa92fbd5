import { Client } from 'pg'
import { requireTool } from '../../src/backup/run-tool.ts'
import type { TestDatabase } from './test-database.ts'

/** Why a test of backups is skipped. */
export const needsPrograms = "needs pg_dump and pg_restore of the server's version"

/** Returns whether the database can be backed up and restored. On PostgreSQL, this needs the client programs of its version. */
export const canBackUp = async ({ url }: Pick<TestDatabase, 'url'>): Promise<boolean> => {
  if (url === undefined) return true
  const client = new Client(url)
  await client.connect()
  const { rows } = await client
    .query<{ major: number }>(`select current_setting('server_version_num')::int / 10000 as major`)
    .finally(() => client.end())
  const major = rows[0]?.major ?? 0
  return Promise.all([requireTool('pg_dump', major), requireTool('pg_restore', major)]).then(
    () => true,
    () => false,
  )
}
