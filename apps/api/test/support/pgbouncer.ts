import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, unprivileged } from './private-postgres.ts'

/** A PgBouncer in front of a PostgreSQL server. */
export interface PgBouncer extends AsyncDisposable {
  /** The URL that connects to the server through the pooler. */
  readonly url: string
}

/** Returns the path of PgBouncer, or `undefined` if it is not installed. */
export const pgBouncerBinary = (): string | undefined =>
  ['/usr/sbin', ...(process.env['PATH'] ?? '').split(':')]
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, 'pgbouncer'))
    .find((path) => existsSync(path))

const acceptsConnections = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' })
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })

/** Starts PgBouncer on a free port of 127.0.0.1. Requires that {@link pgBouncerBinary} returns a path. */
export const startPgBouncer = async (databaseUrl: string, mode: 'session' | 'transaction' | 'statement'): Promise<PgBouncer> => {
  const target = new URL(databaseUrl)
  const folder = await mkdtemp(join(tmpdir(), 'flowpost-pgbouncer-'))
  const user = await unprivileged()
  if (user) await chown(folder, user.uid, user.gid)
  const port = await freePort()
  const file = join(folder, 'pgbouncer.ini')
  const server = `host=${target.hostname} port=${target.port || 5432} user=${target.username}`
  await writeFile(
    file,
    `[databases]
* = ${server}${target.password ? ` password=${decodeURIComponent(target.password)}` : ''}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = 30
`,
  )
  const child = spawn(pgBouncerBinary() ?? '', ['-q', file], { cwd: folder, stdio: 'ignore', ...(user ?? {}) })
  const exited = new Promise((resolve) => child.once('exit', resolve))
  while (!(await acceptsConnections(port))) {
    if (child.exitCode !== null) throw new Error('PgBouncer did not start.')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  target.host = `127.0.0.1:${port}`
  return {
    url: target.toString(),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await exited
      await rm(folder, { recursive: true, force: true })
    },
  }
}
