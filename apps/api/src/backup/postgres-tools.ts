import { BackupError } from './backup-error.ts'
import { withLibpq } from './libpq-connection.ts'
import { runTool } from './run-tool.ts'

/**
 * Writes all tables of a schema into a file in PostgreSQL's custom format.
 * @param snapshot the identifier of an exported snapshot. @default a new snapshot
 */
export const dumpSchema = async (databaseUrl: string, schema: string, file: string, snapshot?: string): Promise<void> => {
  const options = [
    '--format=custom',
    '--no-owner',
    '--no-privileges',
    '--lock-wait-timeout=60s',
    `--table="${schema.replaceAll('"', '""')}".*`,
    ...(snapshot === undefined ? [] : [`--snapshot=${snapshot}`]),
    `--file=${file}`,
  ]
  await withLibpq(databaseUrl, ({ url, env }) => runTool('pg_dump', [...options, url], env))
}

/**
 * Returns the schema of the tables in a file from {@link dumpSchema}. A restore creates the tables in this schema, whatever
 * the target's `search_path` is.
 * @throws BackupError when the file is damaged.
 */
export const readDumpSchema = async (file: string): Promise<string> => {
  const list = await runTool('pg_restore', ['--list', '--table=flowpost_migrations', file], {})
  const [, schema] = / TABLE (.+) flowpost_migrations /.exec(list) ?? []
  if (schema === undefined) throw new BackupError(`${file} is damaged: it has no table flowpost_migrations.`)
  return schema
}

/** Restores a file from {@link dumpSchema} in one transaction. If `replace` is true, drops the file's tables first. */
export const restoreDump = async (databaseUrl: string, file: string, replace: boolean): Promise<void> => {
  const options = [
    '--single-transaction',
    '--exit-on-error',
    '--no-owner',
    '--no-privileges',
    ...(replace ? ['--clean', '--if-exists'] : []),
  ]
  await withLibpq(databaseUrl, ({ url, env }) => runTool('pg_restore', [...options, `--dbname=${url}`, file], env))
}
