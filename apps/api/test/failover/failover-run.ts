import { randomBytes } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Flowpost } from '@flowpost/client'
import { createServerProcess } from '../crash/processes.ts'
import { createRandom } from '../fuzz/random.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { affectedNode, type Fault, faults } from './faults.ts'
import { createBalancedClient, type Load, maxInProgress, startLoad } from './load.ts'
import { measureResumption } from './measure-resumption.ts'
import type { Programs } from './programs.ts'
import { type SmtpThread, startSmtpThread } from './smtp-thread.ts'
import { type Delivered, verifyDelivery } from './verify-delivery.ts'

/** The parameters of a failover run. */
export interface FailoverPlan {
  readonly minutes: number
  readonly perSecond: number
  /** The seed for the random choice of faults and pauses. The actual timing also depends on the machine. */
  readonly seed: number
}

/** A fault and its effects. Durations are in milliseconds. */
export interface FaultReport {
  readonly fault: string
  /** The time from the fault to the promotion; 0 if the fault affects a standby. */
  readonly promotionMs: number
  /**
   * The time until messages are accepted and sent again, from the promotion, or from half a second after the fault if it affects
   * a standby.
   */
  readonly resumedMs: number
}

interface CausedFault extends Omit<FaultReport, 'resumedMs'> {
  /** The time from which `resumedMs` counts. */
  readonly from: Date
}

/** The result of a failover run. */
export interface FailoverReport extends Delivered {
  readonly messages: number
  /** The rate at which messages were sent. It is lower than planned on a machine that is too busy. */
  readonly perSecond: number
  readonly failed: readonly unknown[]
  readonly faults: readonly FaultReport[]
  /** The exit codes of server processes that ended during the run. */
  readonly exits: readonly (number | null)[]
  /** The lines in the servers' logs with the level `error` or `fatal`. */
  readonly errors: readonly string[]
  readonly maxCallMs: number
  /**
   * The duration of one request to each API, in milliseconds. The request is sent after the last fault. It waits until a new
   * message is completed.
   */
  readonly waitsMs: readonly number[]
}

/**
 * Sends messages at a constant rate while faults change the primary of the cluster. Returns when every accepted notification
 * is completed.
 */
export const runFailovers = async (plan: FailoverPlan, programs: Programs, print: (line: string) => void): Promise<FailoverReport> => {
  const random = createRandom(plan.seed)
  let load: Load | undefined
  await using smtp = await startSmtpThread((raw) => load?.receive(raw))
  await using cluster = await startCluster(programs)
  print(`cluster started in ${cluster.folder}`)
  const errors: string[] = []
  const exits: (number | null)[] = []
  const key = `fp_${randomBytes(24).toString('base64url')}`
  const servers = await startServers(cluster, smtp, key, errors)
  try {
    for (const server of servers) void server.ended().then((code) => exits.push(code))
    const urls = servers.filter(({ role }) => role === 'api').map(({ url }) => url)
    const flowpost = createBalancedClient(urls, key, random.next)
    const { id } = await flowpost.projects.create({ name: 'failover' })
    await flowpost.flows.create(id, { name: 'mail', source_type: 'smtp', target: 'ops@example.com' })
    load = startLoad(flowpost, id, plan.perSecond)
    const caused: CausedFault[] = []
    const startedMs = performance.now()
    for (let round = 0; performance.now() - startedMs < plan.minutes * 60_000; round += 1) {
      await sleep(5_000 + random.next() * 10_000)
      // Each fault occurs once in the first rounds, and later rounds pick at random.
      const fault = faults[round] ?? random.pick(faults)
      const report = await causeFault(cluster, fault, random.next)
      caused.push(report)
      print(
        `${JSON.stringify(report)}; ${load.acceptedCount()} accepted, ${load.receivedCount()} received, ` +
          `${load.failed.length} failed, ${load.inProgress()} in progress`,
      )
    }
    await sleep(5_000)
    load.stop()
    await load.ended()
    const messages = load.accepted.length
    const achieved = Math.round(messages / ((performance.now() - startedMs) / 1_000))
    const waitsMs = await Promise.all(urls.map((url) => measureWait(createBalancedClient([url], key, random.next), id)))
    const delivered = await verifyDelivery(cluster.url, flowpost, load)
    const durations = await measureResumption(
      cluster.url,
      caused.map(({ from }) => from),
    )
    const maxCallMs = Math.round(load.maxCallMs())
    return {
      ...delivered,
      messages,
      perSecond: achieved,
      failed: load.failed,
      faults: caused.map(({ fault, promotionMs }, index) => ({ fault, promotionMs, resumedMs: durations[index] ?? 0 })),
      exits: [...exits],
      errors,
      maxCallMs,
      waitsMs,
    }
  } finally {
    load?.stop()
    await Promise.all(servers.map((server) => server.kill()))
  }
}

const startServers = async (cluster: Cluster, smtp: SmtpThread, key: string, errors: string[]) => {
  const env = {
    DATABASE_URL: cluster.url,
    FLOWPOST_BOOTSTRAP_KEYS: `alice:${key}`,
    FLOWPOST_SMTP_URL: smtp.url,
    FLOWPOST_EMAIL_FROM: 'noreply@example.com',
    FLOWPOST_CAPTURE: 'off',
    FLOWPOST_RATE_LIMIT: 'off',
    // Each call in progress has a connection, and thousands are in progress after an outage.
    FLOWPOST_MAX_CONNECTIONS: String(maxInProgress),
  }
  const collectIn = (file: string) => (text: string) => {
    appendFileSync(join(cluster.folder, file), text)
    errors.push(...(text.match(/^.*"level":"(?:error|fatal)".*$/gm) ?? []))
  }
  const roles = ['api', 'api', 'worker', 'worker']
  const servers = await Promise.all(
    roles.map((role, number) => createServerProcess({ ...env, FLOWPOST_ROLE: role }, collectIn(`${role}-${number}.log`))),
  )
  await Promise.all(servers.map((server) => server.start()))
  return servers
}

// After the loss of a standby, commits that it had already confirmed can still return.
const inTransitMs = 500

const causeFault = async (cluster: Cluster, fault: Fault, random: () => number): Promise<CausedFault> => {
  await cluster.waitUntilHealthy()
  const node = await affectedNode(fault, cluster, await cluster.waitForPrimary())
  const start = new Date()
  await fault.cause(cluster, node)
  const from = fault.affects === 'standby' ? undefined : await cluster.promotedAfter(start)
  await sleep(random() * 10_000)
  fault.repair?.(node)
  const promotionMs = from ? from.getTime() - start.getTime() : 0
  return { fault: fault.name, promotionMs, from: from ?? new Date(start.getTime() + inTransitMs) }
}

const measureWait = async (flowpost: Flowpost, projectId: string): Promise<number> => {
  const { id } = await flowpost.notifications.send({ project_id: projectId, subject: 'waited for', message: 'x' })
  const startedMs = performance.now()
  await flowpost.notifications.get(id, { wait: 30 })
  return Math.round(performance.now() - startedMs)
}
