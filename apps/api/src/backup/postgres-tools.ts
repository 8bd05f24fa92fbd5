import { spawn } from 'node:child_process'
import { BackupError } from './backup-error.ts'
import { withLibpq } from './libpq-connection.ts'

type Tool = 'pg_dump' | 'pg_restore'

const maxMessageLength = 2_000

/**
 * Runs a PostgreSQL client program and returns its output.
 * @throws BackupError when the program is missing or fails.
 */
const run = (tool: Tool, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = spawn(tool, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
    let out = ''
    let err = ''
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      out += chunk
    })
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      err = (err + chunk).slice(-maxMessageLength)
    })
    child.on('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'ENOENT' ? new BackupError(`${tool} was not found in PATH. ${howToInstall}`) : error),
    )
    child.on('close', (code, signal) => {
      if (code === 0) resolve(out)
      else reject(new BackupError(`${tool} failed with ${signal ?? `exit code ${code}`}: ${err.trim()}`))
    })
  })

const howToInstall =
  "Install PostgreSQL client programs of the server's version or later, for example the Debian package postgresql-client."

/**
 * Checks that a client program is installed and is not older than the server.
 * @param serverVersion the major version of the server.
 * @throws BackupError if it is missing or older.
 */
export const requireTool = async (tool: Tool, serverVersion: number): Promise<void> => {
  const [, major] = /(\d+)(?:\.\d+|\w+)/.exec(await run(tool, ['--version'])) ?? []
  if (Number(major) < serverVersion)
    throw new BackupError(`${tool} has version ${major}, and the server has version ${serverVersion}. ${howToInstall}`)
}

/** Writes all tables of a schema into a file in PostgreSQL's custom format. */
export const dumpSchema = async (databaseUrl: string, schema: string, file: string): Promise<void> => {
  const tables = `--table="${schema.replaceAll('"', '""')}".*`
  const options = ['--format=custom', '--no-owner', '--no-privileges', '--lock-wait-timeout=60s', tables, `--file=${file}`]
  await withLibpq(databaseUrl, ({ url, env }) => run('pg_dump', [...options, url], env))
}

/** Restores a file from {@link dumpSchema} in one transaction. @param replace whether to drop the tables first. */
export const restoreDump = async (databaseUrl: string, file: string, replace: boolean): Promise<void> => {
  const options = [
    '--single-transaction',
    '--exit-on-error',
    '--no-owner',
    '--no-privileges',
    ...(replace ? ['--clean', '--if-exists'] : []),
  ]
  await withLibpq(databaseUrl, ({ url, env }) => run('pg_restore', [...options, `--dbname=${url}`, file], env))
}
