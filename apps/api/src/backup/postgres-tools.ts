import { spawn } from 'node:child_process'
import { BackupError } from './backup-error.ts'

type Tool = 'pg_dump' | 'pg_restore'

// URL parameters that the Node.js driver accepts and libpq rejects.
const driverParameters = ['uselibpqcompat', 'ssl']

/**
 * Converts a `DATABASE_URL` for PostgreSQL's client programs. The password goes into the environment, because other
 * users can read the arguments of a process.
 */
export const toLibpq = (databaseUrl: string): { readonly url: string; readonly env: Readonly<Record<string, string>> } => {
  const url = new URL(databaseUrl)
  const password = decodeURIComponent(url.password)
  url.password = ''
  for (const name of driverParameters) url.searchParams.delete(name)
  // libpq rejects the driver's mode `no-verify`. The libpq mode `require` does not verify the certificate either.
  if (url.searchParams.get('sslmode') === 'no-verify') url.searchParams.set('sslmode', 'require')
  return { url: url.toString(), env: password === '' ? {} : { PGPASSWORD: password } }
}

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
  const { url, env } = toLibpq(databaseUrl)
  const tables = `--table="${schema.replaceAll('"', '""')}".*`
  await run('pg_dump', ['--format=custom', '--no-owner', '--no-privileges', '--lock-wait-timeout=60s', tables, `--file=${file}`, url], env)
}

/** Restores a file from {@link dumpSchema} in one transaction. @param replace whether to drop the tables first. */
export const restoreDump = async (databaseUrl: string, file: string, replace: boolean): Promise<void> => {
  const { url, env } = toLibpq(databaseUrl)
  const options = ['--single-transaction', '--exit-on-error', '--no-owner', '--no-privileges']
  await run('pg_restore', [...options, ...(replace ? ['--clean', '--if-exists'] : []), `--dbname=${url}`, file], env)
}
