import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { postgresBinaries } from '../support/private-postgres.ts'

const run = promisify(execFile)

/** The user that the programs run as; `undefined` for the user of the tests. */
export type User = { readonly uid: number; readonly gid: number } | undefined

/** The paths to the programs that a cluster needs. */
export interface Programs {
  readonly patroni: string
  readonly patronictl: string
  readonly etcd: string
  readonly haproxy: string
  /** The folder with PostgreSQL's programs. */
  readonly postgres: string
}

const find = (name: string): string | undefined =>
  ['/usr/sbin', ...(process.env['PATH'] ?? '').split(':')]
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path))

/** Returns the installed programs, or `undefined` if one is missing. */
export const findPrograms = (): Programs | undefined => {
  const [patroni, patronictl, etcd, haproxy, postgres] = [...['patroni', 'patronictl', 'etcd', 'haproxy'].map(find), postgresBinaries()]
  if (!patroni || !patronictl || !etcd || !haproxy || !postgres) return undefined
  return { patroni, patronictl, etcd, haproxy, postgres }
}

/** Runs a program until it exits, and returns its standard output. */
export const runProgram = async (path: string, args: string[], options: { env: Record<string, string>; user: User }): Promise<string> =>
  (await run(path, args, { env: options.env, ...options.user })).stdout

/** Starts a program whose output is appended to a file. */
export const startProgram = (
  path: string,
  args: string[],
  { env, user, log }: { env: Record<string, string>; user: User; log: string },
): ChildProcess => {
  const output = openSync(log, 'a', 0o666)
  return spawn(path, args, { env, stdio: ['ignore', output, output], ...user })
}

/** Returns the parent of each process on this machine, keyed by process id. */
const parents = (): Map<number, number> => {
  const found = new Map<number, number>()
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    try {
      // The name of the program, in parentheses, may contain spaces.
      const stat = readFileSync(`/proc/${entry}/stat`, 'utf8')
      found.set(Number(entry), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]))
    } catch {
      // Ignored: the process has ended in the meantime.
    }
  }
  return found
}

/** Sends a signal to a process and its descendants, parents first. */
export const signalTree = (root: number, signal: NodeJS.Signals): void => {
  const parentOf = parents()
  const pids = [root]
  for (const pid of pids) for (const [child, parent] of parentOf) if (parent === pid) pids.push(child)
  for (const pid of pids) {
    try {
      process.kill(pid, signal)
    } catch {
      // Ignored: the process has ended in the meantime.
    }
  }
}
