import { execFile, spawn } from 'node:child_process'
import { promisify } from 'node:util'
import { BackupError } from './backup-error.ts'

/** A PostgreSQL client program. */
type Tool = 'pg_dump' | 'pg_restore'

const maxMessageLength = 2_000
const forwardedSignals = ['SIGTERM', 'SIGINT'] as const

/**
 * Runs a client program. While it runs, SIGTERM and SIGINT end the program instead of this process. Otherwise, a `pg_restore`
 * whose parent was stopped would continue and commit.
 * @throws BackupError when the program fails or was stopped by a signal.
 */
export const runTool = (tool: Tool, args: readonly string[], env: Readonly<Record<string, string>>): Promise<void> =>
  new Promise((resolve, reject) => {
    const child = spawn(tool, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'pipe'] })
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
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      err = (err + chunk).slice(-maxMessageLength)
    })
    child.on('error', (error) => {
      stopForwarding()
      reject(error)
    })
    child.on('close', (code, signal) => {
      stopForwarding()
      if (code === 0) resolve()
      else if (received) reject(new BackupError(`Interrupted by ${received}: ${tool} was stopped before it finished.`))
      else reject(new BackupError(`${tool} failed with ${signal ?? `exit code ${code}`}: ${err.trim()}`))
    })
  })

const howToInstall = (major: number): string =>
  `Install the PostgreSQL client programs of version ${major}, for example the Debian package postgresql-client-${major}, ` +
  `and put their folder first in PATH (on Debian, /usr/lib/postgresql/${major}/bin).`

/**
 * Checks that a client program has the server's major version. A later `pg_dump` can write a file that neither the
 * `pg_restore` of the server's version can read nor a later `pg_restore` can restore on the server.
 * @param serverVersion the major version of the server.
 * @throws BackupError if the program is missing or has another version.
 */
export const requireTool = async (tool: Tool, serverVersion: number): Promise<void> => {
  const { stdout } = await promisify(execFile)(tool, ['--version']).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw new BackupError(`${tool} was not found in PATH. ${howToInstall(serverVersion)}`)
    throw new BackupError(`${tool} does not run: ${error.message.trim()}`)
  })
  const [, major] = /\b(\d+)/.exec(stdout) ?? []
  if (Number(major) !== serverVersion)
    throw new BackupError(
      `${tool} has version ${major}, and the server has version ${serverVersion}. They must be the same. ${howToInstall(serverVersion)}`,
    )
}
