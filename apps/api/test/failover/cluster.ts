import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chown, copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { freePort, unprivileged } from '../support/private-postgres.ts'
import { createNode, type Member, type Node } from './node.ts'
import { type Programs, runProgram, startProgram } from './programs.ts'

/** Three database nodes with Patroni, an etcd, and a HAProxy that follows the primary. */
export interface Cluster extends AsyncDisposable {
  /** The URL that leads to the primary. */
  readonly url: string
  /** The folder with the logs of the programs. */
  readonly folder: string
  readonly nodes: readonly Node[]
  /** Resolves with the primary. With `other`, waits until a node other than `other` is the primary. */
  waitForPrimary(other?: Node): Promise<Node>
  /** Returns when a node became the primary after the given time. Waits for a promotion if there was none. */
  promotedAfter(time: Date): Promise<Date>
  /** Resolves when both standbys follow the primary, and one of them is synchronous. In quorum mode, both must be. */
  waitUntilHealthy(): Promise<void>
  /** Returns the nodes that are standbys, the synchronous one first. */
  standbys(): Promise<Node[]>
  /** Runs `patronictl` with the given arguments. */
  control(...args: string[]): Promise<string>
}

const ha = fileURLToPath(new URL('../../../../ops/ha/', import.meta.url))
const password = 'secret'
const pollMs = 100
const maxWaitMs = 180_000

// With `synchronous_mode: quorum`, Patroni reports `quorum_standby` for each standby that may confirm a commit.
const isSynchronous = ({ role }: Member): boolean => role === 'sync_standby' || role === 'quorum_standby'

/** Starts the cluster in a temporary folder, with the files of `ops/ha`. */
export const startCluster = async (programs: Programs): Promise<Cluster> => {
  const folder = await mkdtemp(join(tmpdir(), 'flowpost-failover-'))
  const user = await unprivileged()
  if (user) await chown(folder, user.uid, user.gid)
  for (const file of ['patroni.yml', 'haproxy.cfg']) await copyFile(join(ha, file), join(folder, file))
  const [etcdPort, peerPort, proxyPort] = [await freePort(), await freePort(), await freePort()]
  const config = join(folder, 'patroni.yml')
  const base = { PATH: process.env['PATH'] ?? '', HOME: folder, LC_ALL: 'C.UTF-8', TZ: 'UTC' }
  const env = {
    ...base,
    PATRONI_ETCD3_HOSTS: `127.0.0.1:${etcdPort}`,
    PATRONI_SUPERUSER_USERNAME: 'postgres',
    PATRONI_SUPERUSER_PASSWORD: password,
    PATRONI_REPLICATION_USERNAME: 'replicator',
    PATRONI_REPLICATION_PASSWORD: password,
  }
  const nodes: Node[] = []
  for (const name of ['node1', 'node2', 'node3']) nodes.push(await createNode({ name, folder, config, programs, user, env }))
  const proxyEnv = Object.fromEntries(
    nodes.flatMap(({ name, postgresPort, restPort }) => [
      [`FLOWPOST_DB_${name.toUpperCase()}`, `127.0.0.1:${postgresPort}`],
      [`FLOWPOST_DB_${name.toUpperCase()}_CHECK`, String(restPort)],
    ]),
  )
  const clientUrl = `http://127.0.0.1:${etcdPort}`
  const peerUrl = `http://127.0.0.1:${peerPort}`
  const etcdArguments = [
    ['--data-dir', join(folder, 'etcd')],
    ['--listen-client-urls', clientUrl],
    ['--advertise-client-urls', clientUrl],
    ['--listen-peer-urls', peerUrl],
    ['--initial-advertise-peer-urls', peerUrl],
    ['--initial-cluster', `default=${peerUrl}`],
  ].flat()
  const services: ChildProcess[] = [
    startProgram(programs.etcd, etcdArguments, { env: base, user, log: join(folder, 'etcd.log') }),
    startProgram(programs.haproxy, ['-db', '-f', join(folder, 'haproxy.cfg')], {
      env: { ...base, ...proxyEnv, FLOWPOST_DB_BIND: `127.0.0.1:${proxyPort}` },
      user,
      log: join(folder, 'haproxy.log'),
    }),
  ]

  const until = async <T>(what: string, check: () => Promise<T | undefined>): Promise<T> => {
    const startedMs = performance.now()
    while (performance.now() - startedMs < maxWaitMs) {
      const found = await check()
      if (found !== undefined) return found
      await sleep(pollMs)
    }
    throw new Error(`${what} took longer than ${maxWaitMs / 1_000} s. The logs are in ${folder}.`)
  }
  const membersOf = async () => {
    for (const node of nodes) {
      const members = await node.members()
      if (members) return members
    }
    return []
  }
  const waitForPrimary = (other?: Node) =>
    until('The promotion', async () => {
      const primary = await Promise.all(nodes.map((node) => (node === other ? false : node.isPrimary())))
      return nodes[primary.indexOf(true)]
    })
  const close = async () => {
    for (const node of nodes) {
      node.thaw()
      await node.crash()
    }
    for (const service of services) {
      const exited = service.exitCode === null ? once(service, 'exit') : undefined
      service.kill('SIGKILL')
      await exited
    }
  }

  const cluster: Cluster = {
    url: `postgres://flowpost:${password}@127.0.0.1:${proxyPort}/flowpost`,
    folder,
    nodes,
    waitForPrimary,
    // Patroni may report a new primary just before PostgreSQL logs it.
    promotedAfter: (time) => until('The promotion', async () => (await waitForPrimary()).promotedAfter(time)),
    waitUntilHealthy: () =>
      until('The recovery of the cluster', async () => {
        const members = await membersOf()
        const leader = members.find(({ role }) => role === 'leader')
        // A standby on an earlier timeline is about to be rewound.
        const following = members.filter(({ lag, timeline }) => typeof lag === 'number' && timeline === leader?.timeline)
        if (following.length < nodes.length - 1 || !following.some(isSynchronous)) return undefined
        // In quorum mode, a standby that has returned counts only once it is part of the quorum.
        const isQuorum = following.some(({ role }) => role === 'quorum_standby')
        return !isQuorum || following.every(isSynchronous) ? true : undefined
      }).then(() => {}),
    standbys: async () => {
      const members = (await membersOf()).filter(({ role }) => role !== 'leader').sort((one) => (isSynchronous(one) ? -1 : 1))
      return members.flatMap(({ name }) => nodes.find((node) => node.name === name) ?? [])
    },
    control: (...args) => runProgram(programs.patronictl, ['-c', config, ...args], { env: { ...env, PATRONI_NAME: 'control' }, user }),
    [Symbol.asyncDispose]: async () => {
      await close()
      if (process.env['FLOWPOST_FAILOVER_KEEP'] !== '1') await rm(folder, { recursive: true, force: true })
    },
  }
  try {
    for (const node of nodes) node.start()
    const primary = await waitForPrimary()
    await cluster.waitUntilHealthy()
    const admin = new Client({ connectionString: `postgres://postgres:${password}@127.0.0.1:${primary.postgresPort}/postgres` })
    await admin.connect()
    await admin.query(`create role flowpost login password '${password}'`)
    await admin.query('create database flowpost owner flowpost')
    await admin.end()
    return cluster
  } catch (error) {
    await close()
    throw error
  }
}
