import { execFile, spawn } from 'node:child_process'
import { promisify } from 'node:util'
import { BackupError } from './backup-error.ts'

/** A PostgreSQL client program. */
type Tool = 'pg_dump' | 'pg_restore'

const maxMessageLength = 2_000
// SIGHUP is forwarded even under `nohup`. `nohup` starts this process with SIGHUP ignored, but Node resets ignored signals at
// startup. This process thus cannot tell that SIGHUP was ignored.
const forwardedSignals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

// The last sentence of the error message when a signal stops a program. If it stops `pg_restore` during the COMMIT, for example
// while the server waits for a synchronous standby, it is unknown whether the transaction was committed.
const outcomes: Readonly<Record<Tool, string>> = {
  pg_dump: '',
  pg_restore: ' The database is either unchanged or completely restored.',
}

/**
 * Runs a client program. Until the program ends, this process forwards SIGTERM, SIGINT and SIGHUP to it instead of
 * stopping. Otherwise, a `pg_restore` whose parent was stopped would continue and commit.
 * @returns the program's standard output.
 * @throws BackupError when the program fails or was stopped by a signal.
 */
export const runTool = (tool: Tool, args: readonly string[], env: Readonly<Record<string, string>>): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = spawn(tool, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
    let out = ''
    let err = ''
    let received: NodeJS.Signals | undefined
    const forward = (signal: NodeJS.Signals) => {
      received = signal
      child.kill(signal)
    }
    const stopForwarding = () => {
      for (const signal of forwardedSignals) process.off(signal, forward)
    }
    for (const signal of forwardedSignals) process.on(signal, forward)
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      out += chunk
    })
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      err = (err + chunk).slice(-maxMessageLength)
    })
    child.on('error', (error) => {
      stopForwarding()
      reject(error)
    })
    child.on('close', (code, signal) => {
      stopForwarding()
      if (code === 0) resolve(out)
      else if (received) reject(new BackupError(`Interrupted by ${received}: ${tool} was stopped before it finished.${outcomes[tool]}`))
      else reject(new BackupError(`${tool} failed with ${signal ?? `exit code ${code}`}: ${err.trim()}`))
    })
  })

const howToInstall = (major: number): string =>
  `Install the PostgreSQL client programs of version ${major}, for example the Debian package postgresql-client-${major}, ` +
  `and put their folder first in PATH (on Debian, /usr/lib/postgresql/${major}/bin).`

/**
 * Checks that the version of a client program suits the server. `pg_dump` must have the server's major version: an
 * older `pg_dump` cannot dump the database, and a newer one may write a file that the server's version of `pg_restore`
 * cannot read. `pg_restore` may be newer than the server, because the file may come from a newer `pg_dump`. If the
 * server then rejects a statement of the file, nothing is restored.
 * @param serverVersion the major version of the server.
 * @throws BackupError if the program is missing or its version does not suit the server.
 */
export const requireTool = async (tool: Tool, serverVersion: number): Promise<void> => {
  const { stdout } = await promisify(execFile)(tool, ['--version']).catch((error: NodeJS.ErrnoException & { stderr: string }) => {
    if (error.code === 'ENOENT') throw new BackupError(`${tool} was not found in PATH. ${howToInstall(serverVersion)}`)
    throw new BackupError(`${tool} does not run: ${error.stderr.trim() || error.message.trim()}`)
  })
  const [, major] = /\b(\d+)/.exec(stdout) ?? []
  const isSuitable = tool === 'pg_dump' ? Number(major) === serverVersion : Number(major) >= serverVersion
  if (isSuitable) return
  const rule = tool === 'pg_dump' ? 'They must be the same.' : 'It must not be older than the server.'
  throw new BackupError(`${tool} has version ${major}, and the server has version ${serverVersion}. ${rule} ${howToInstall(serverVersion)}`)
}
