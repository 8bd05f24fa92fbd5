import { execFile } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** A PostgreSQL server for a single test. The test may stop or kill it. */
export interface PrivatePostgres extends AsyncDisposable {
  readonly url: string
  start(): Promise<void>
  /**
   * Stops the server. `fast` closes sessions cleanly; `immediate` simulates a crash, so the server recovers from its log at
   * the next start.
   */
  stop(mode: 'fast' | 'immediate'): Promise<void>
}

const debianRoot = '/usr/lib/postgresql'

/** Returns the folder of the PostgreSQL server programs, or `undefined` if they are not installed. */
export const postgresBinaries = (): string | undefined => {
  const versions = existsSync(debianRoot) ? readdirSync(debianRoot).sort((a, b) => Number(b) - Number(a)) : []
  const folders = [...versions.map((version) => join(debianRoot, version, 'bin')), ...(process.env['PATH'] ?? '').split(':')]
  return folders.find((folder) => folder !== '' && ['initdb', 'pg_ctl', 'postgres'].every((program) => existsSync(join(folder, program))))
}

/** Returns a port that is currently free. */
export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => (typeof address === 'object' && address ? resolve(address.port) : reject(new Error('No port.'))))
    })
  })

/** Returns an unprivileged user if this process runs as root, because PostgreSQL does not run as root. Returns `undefined` otherwise. */
export const unprivileged = async (): Promise<{ uid: number; gid: number } | undefined> => {
  if (process.getuid?.() !== 0) return undefined
  for (const user of ['postgres', 'nobody']) {
    const ids = await Promise.all([run('id', ['-u', user]), run('id', ['-g', user])]).catch(() => undefined)
    if (ids) return { uid: Number(ids[0].stdout), gid: Number(ids[1].stdout) }
  }
  throw new Error('PostgreSQL does not run as root, and this machine has neither a user postgres nor a user nobody.')
}

/** Starts a PostgreSQL server in a temporary folder. */
export const startPrivatePostgres = async (): Promise<PrivatePostgres> => {
  const binaries = postgresBinaries()
  if (binaries === undefined) throw new Error('PostgreSQL is not installed.')
  const folder = await mkdtemp(join(tmpdir(), 'flowpost-pg-'))
  const user = await unprivileged()
  if (user) await chown(folder, user.uid, user.gid)
  const port = await freePort()
  const data = join(folder, 'data')
  const options = { cwd: folder, ...(user ?? {}) }
  await run(join(binaries, 'initdb'), ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'], options)
  const settings = `-c listen_addresses=127.0.0.1 -p ${port} -k ${folder} -c max_connections=200`
  const control = (args: string[]) => run(join(binaries, 'pg_ctl'), ['-D', data, '-l', join(folder, 'log'), '-w', ...args], options)
  const start = async () => {
    await control(['-o', settings, 'start'])
  }
  const stop = async (mode: 'fast' | 'immediate') => {
    await control(['-m', mode, 'stop'])
  }
  await start()
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    start,
    stop,
    [Symbol.asyncDispose]: async () => {
      await stop('immediate').catch(() => {})
      await rm(folder, { recursive: true, force: true })
    },
  }
}
