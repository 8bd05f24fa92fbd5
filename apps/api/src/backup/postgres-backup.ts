import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import type { Queryable } from '../database/database.ts'
import { onFreshConnection } from '../database/postgres/fresh-connection.ts'
import type { EncryptionKey } from '../shared/encryption-keys.ts'
import { version } from '../version.ts'
import { BackupError } from './backup-error.ts'
import { readNeededKeys } from './backup-keys.ts'
import { createBackupFolder } from './create-backup-folder.ts'
import { backupNames, type Manifest, writeManifest } from './manifest.ts'
import { dumpSchema, readDumpSchema, restoreDump } from './postgres-tools.ts'
import { requireTool } from './run-tool.ts'

interface Target {
  readonly schema: string
  /** The major version of the PostgreSQL server. */
  readonly serverVersion: number
  readonly tables: readonly string[]
  /** The number of other database sessions that Flowpost processes have open. */
  readonly sessions: number
}

const queryTimeoutMs = 30_000

const describe = `select current_schema() as schema, current_setting('server_version_num')::int / 10000 as "serverVersion",
    coalesce((select array_agg(tablename::text order by 1) from pg_tables where schemaname = current_schema()), '{}') as tables,
    (select count(*)::int from pg_stat_activity where datname = current_database() and application_name like 'flowpost%'
      and pid <> pg_backend_pid()) as sessions`

const onDatabase = <T>(url: string, work: (session: Queryable, removeTimeout: () => void) => Promise<T>): Promise<T> =>
  onFreshConnection(url, queryTimeoutMs, (client, removeTimeout) =>
    work({ query: async (statement, values = []) => (await client.query(statement as string, [...values])).rows as never }, removeTimeout),
  )

const readTarget = async (session: Queryable): Promise<Target> => {
  const [row] = await session.query<Target>(describe)
  if (!row?.schema) throw new BackupError('The database has no schema that the user in DATABASE_URL can use.')
  return row
}

/** Begins a transaction that can stay idle without a time limit. Returns the identifier of its snapshot. */
const exportSnapshot = async (session: Queryable): Promise<string> => {
  await session.query('begin isolation level repeatable read, read only')
  // Changes only settings that exist: `transaction_timeout` was added in PostgreSQL 17.
  await session.query(
    `select set_config(name, '0', true) from pg_settings where name in ('idle_in_transaction_session_timeout', 'transaction_timeout')`,
  )
  const [row] = await session.query<{ snapshot: string }>('select pg_export_snapshot() as snapshot')
  return row?.snapshot ?? ''
}

/** Backs up the database with `pg_dump`. Servers can keep running during the backup. */
export const backupPostgres = (url: string, folder: string, known: readonly EncryptionKey[]): Promise<void> =>
  onDatabase(url, async (session, removeTimeout) => {
    // The queries below and the dump read the same snapshot. A migration that is applied during the backup is thus in both the
    // manifest and the dump, or in neither.
    const snapshot = await exportSnapshot(session)
    const { schema, serverVersion, tables } = await readTarget(session)
    if (!tables.includes('flowpost_migrations')) throw new BackupError('The database in DATABASE_URL has no Flowpost tables.')
    const rows = await session.query<{ name: string }>('select name from flowpost_migrations order by id')
    const migrations = rows.map(({ name }) => name)
    const keys = await readNeededKeys(session, known)
    await requireTool('pg_dump', serverVersion)
    removeTimeout()
    await createBackupFolder(folder, async (temporary) => {
      const file = join(temporary, backupNames.dump)
      await dumpSchema(url, schema, file, snapshot)
      await chmod(file, 0o600)
      const created_at = new Date().toISOString()
      const manifest: Manifest = { format: 1, created_at, flowpost: version, database: 'postgres', migrations, tables: [...tables], keys }
      await writeManifest(temporary, manifest)
    })
  })

/**
 * Restores a backup with `pg_restore`, in one transaction.
 * @param replace whether to replace existing tables.
 * @throws BackupError when Flowpost processes are using the database, when `url` uses a different schema than the backup,
 * when the schema contains tables of the backup but `replace` is false, or when the schema contains tables of the backup and
 * also other tables.
 */
export const restorePostgres = async (url: string, folder: string, manifest: Manifest, replace: boolean): Promise<void> => {
  const { schema, serverVersion, tables, sessions } = await onDatabase(url, readTarget)
  if (sessions > 0)
    throw new BackupError(`Flowpost processes are using the database (connections: ${sessions}). Stop these processes first.`)
  await requireTool('pg_restore', serverVersion)
  const dump = join(folder, backupNames.dump)
  // The checks below use the tables in `schema`, but `pg_restore` creates the tables in the schema of the dump.
  const dumpedSchema = await readDumpSchema(dump)
  if (schema !== dumpedSchema)
    throw new BackupError(
      `The backup has tables of the schema "${dumpedSchema}", but DATABASE_URL uses the schema "${schema}". ` +
        `Use a database with an empty schema "${dumpedSchema}" that is first in search_path.`,
    )
  const existing = tables.filter((name) => manifest.tables.includes(name))
  if (existing.length > 0 && !replace)
    throw new BackupError(
      `The database already has tables (${existing.join(', ')}). Use an empty database, or replace them with --replace.`,
    )
  const unknown = tables.filter((name) => !manifest.tables.includes(name))
  if (existing.length > 0 && unknown.length > 0)
    throw new BackupError(`The database has tables that the backup does not have (${unknown.join(', ')}). Use an empty database.`)
  await restoreDump(url, dump, existing.length > 0)
}
