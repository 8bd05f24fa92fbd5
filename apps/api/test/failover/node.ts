import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../support/private-postgres.ts'
import { type Programs, signalTree, startProgram, type User } from './programs.ts'

/** A member of the cluster, as Patroni reports it. */
export interface Member {
  readonly name: string
  readonly role: string
  readonly state: string
  readonly timeline?: number
  /** The number of bytes that a standby has not replayed yet; a string if the number is unknown. */
  readonly lag?: number | string
}

/** A database node: PostgreSQL and its Patroni. */
export interface Node {
  readonly name: string
  readonly postgresPort: number
  readonly restPort: number
  readonly env: Record<string, string>
  start(): void
  /** Kills Patroni and PostgreSQL with SIGKILL, as a crash of the machine does. */
  crash(): Promise<void>
  /** Kills PostgreSQL alone. */
  crashPostgres(): void
  /** Stops Patroni, which stops PostgreSQL. */
  shutDown(): Promise<void>
  /** Suspends Patroni and PostgreSQL. Connections stay open, and nothing responds. */
  freeze(): void
  /** Resumes Patroni and PostgreSQL after {@link Node.freeze}. */
  thaw(): void
  /** Returns the time of this node's first promotion after `time`, as logged by PostgreSQL; `undefined` if there was none. */
  promotedAfter(time: Date): Date | undefined
  /** Returns whether this node is the primary and holds the leader key. */
  isPrimary(): Promise<boolean>
  /** Returns the members of the cluster; `undefined` if this node does not respond. */
  members(): Promise<readonly Member[] | undefined>
}

const exchange = async (url: string): Promise<{ status: number; body: string } | undefined> => {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(5_000), headers: { connection: 'close' } })
    return { status: response.status, body: await response.text() }
  } catch {
    return undefined
  }
}

/**
 * Requests a page from Patroni's REST API. Returns `undefined` if the response is not complete within six seconds. The abort
 * signal of `fetch` is not enough: in one run, a request to a killed node ended neither with a response nor with an error.
 */
const request = (url: string): ReturnType<typeof exchange> => Promise.race([exchange(url), sleep(6_000, undefined)])

/** Prepares a node that uses free ports and the repository's patroni.yml. */
export const createNode = async (options: {
  name: string
  folder: string
  config: string
  programs: Programs
  user: User
  env: Record<string, string>
}): Promise<Node> => {
  const { name, folder, config, programs, user } = options
  const [postgresPort, restPort] = [await freePort(), await freePort()]
  const data = join(folder, name)
  const log = join(folder, `${name}.log`)
  const env = {
    ...options.env,
    PATRONI_NAME: name,
    PATRONI_RESTAPI_LISTEN: `127.0.0.1:${restPort}`,
    PATRONI_RESTAPI_CONNECT_ADDRESS: `127.0.0.1:${restPort}`,
    PATRONI_POSTGRESQL_LISTEN: `127.0.0.1:${postgresPort}`,
    PATRONI_POSTGRESQL_CONNECT_ADDRESS: `127.0.0.1:${postgresPort}`,
    PATRONI_POSTGRESQL_DATA_DIR: data,
    PATRONI_POSTGRESQL_BIN_DIR: programs.postgres,
    PATRONI_POSTGRESQL_PGPASS: join(folder, `${name}.pgpass`),
  }
  let patroni: ChildProcess | undefined

  const postgresPid = (): number | undefined => {
    const file = join(data, 'postmaster.pid')
    return existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) || undefined : undefined
  }
  const signalPostgres = (signal: NodeJS.Signals): void => {
    const pid = postgresPid()
    if (pid !== undefined) signalTree(pid, signal)
  }
  const signalPatroni = (signal: NodeJS.Signals): void => {
    if (patroni?.pid !== undefined && patroni.exitCode === null && patroni.signalCode === null) signalTree(patroni.pid, signal)
  }
  const ended = async (): Promise<void> => {
    if (patroni && patroni.exitCode === null && patroni.signalCode === null) await once(patroni, 'exit')
    patroni = undefined
  }

  return {
    name,
    postgresPort,
    restPort,
    env,
    start: () => {
      patroni = startProgram(programs.patroni, [config], { env, user, log })
    },
    crash: async () => {
      signalPatroni('SIGKILL')
      signalPostgres('SIGKILL')
      await ended()
    },
    crashPostgres: () => signalPostgres('SIGKILL'),
    shutDown: async () => {
      patroni?.kill('SIGTERM')
      await ended()
    },
    freeze: () => {
      signalPatroni('SIGSTOP')
      signalPostgres('SIGSTOP')
    },
    thaw: () => {
      signalPostgres('SIGCONT')
      signalPatroni('SIGCONT')
    },
    promotedAfter: (time) => {
      const lines = readFileSync(log, 'utf8').matchAll(/^(\S+ \S+) UTC \[\d+\] LOG: {2}database system is ready to accept connections$/gm)
      return [...lines].map((line) => new Date(`${line[1]}Z`)).find((ready) => ready > time)
    },
    isPrimary: async () => (await request(`http://127.0.0.1:${restPort}/primary`))?.status === 200,
    members: async () => {
      const response = await request(`http://127.0.0.1:${restPort}/cluster`)
      return response?.status === 200 ? (JSON.parse(response.body) as { members: Member[] }).members : undefined
    },
  }
}
