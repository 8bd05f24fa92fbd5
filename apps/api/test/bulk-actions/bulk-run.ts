import { setTimeout as sleep } from 'node:timers/promises'
import { createFlowpost, type Flowpost } from '@flowpost/client'
import { createServerProcess, type ServerProcess } from '../crash/processes.ts'
import { createRandom } from '../fuzz/random.ts'
import { onDatabase } from '../support/direct-database.ts'
import { addFlow, createFlow, readCompleted, send } from '../support/resources.ts'
import { startSmtpSink } from '../support/smtp-sink.ts'
import type { TestDatabase } from '../support/test-database.ts'
import { startTestServer } from '../support/test-server.ts'
import { addFailedDeliveries } from './failed-deliveries.ts'

/** The parameters of {@link runBulkRetry}. */
export interface BulkPlan {
  /** The number of failed deliveries to retry. Every second one fails again. */
  readonly deliveries: number
  /** How many times a worker is killed while the action runs. */
  readonly kills: number
  /**
   * Whether to kill all workers together and end their leases, so that the run does not wait for leases to expire.
   * @default false
   */
  readonly endLeases?: boolean
  /** The seed for the random choice of the processes to kill and of the pauses. The actual timing also depends on the machine. */
  readonly seed: number
}

/** The result of {@link runBulkRetry}. */
export interface BulkReport {
  readonly action: { readonly status: string; readonly matched: number; readonly done: number; readonly skipped: number }
  readonly kills: number
  /** The number of retried deliveries, keyed by the number of finished attempts of each, such as `{ 1: 100 }`. */
  readonly attempts: Readonly<Record<number, number>>
  readonly statuses: Readonly<Record<string, number>>
  /** The latencies of new messages before and during the action, in milliseconds. */
  readonly latencies: { readonly before: readonly number[]; readonly during: readonly number[] }
  /**
   * The number of new messages that were in progress when a worker was killed. They wait until the leases of the killed
   * worker expire, with or without a bulk action.
   */
  readonly interruptedProbes: number
  readonly seconds: number
}

interface Probe {
  readonly sentAt: number
  receivedAt: number | undefined
  interrupted: boolean
}

const probeEveryMs = 200
const maxProbesBefore = 20
const deliveriesPerProbeBefore = 500

/** Retries many failed deliveries with one bulk action, while workers are killed and new messages are sent. */
export const runBulkRetry = async (plan: BulkPlan, database: TestDatabase): Promise<BulkReport> => {
  const probes = new Map<string, Probe>()
  await using smtp = await startSmtpSink({
    record: false,
    reply: (_, { to, raw }) => {
      const probe = probes.get(/^Subject: (probe \d+)\r$/m.exec(raw)?.[1] ?? '')
      if (probe) probe.receivedAt ??= Date.now()
      return /^odd-/.test(to[0] ?? '') ? { code: 550, text: 'No such user.' } : 'accept'
    },
  })
  const env = { FLOWPOST_SMTP_URL: smtp.url, FLOWPOST_EMAIL_FROM: 'noreply@example.com', FLOWPOST_RATE_LIMIT: 'off' }
  const setup = await startTestServer({ env, database })
  const { project, flow } = await createFlow(setup)
  const probed = [await addFlow(setup, project.id, { target: 'a@example.com' }), (await createFlow(setup)).flow]
  await readCompleted(setup, (await send(setup, project.id, { reference: 'template', flow_id: flow.id })).id)
  await setup.stop()
  await onDatabase(database, (query) =>
    addFailedDeliveries(query, plan.deliveries, (number) => `${number % 2 === 0 ? 'even' : 'odd'}-${number}@example.com`),
  )

  const roles = database.url === undefined ? ['all'] : ['api', 'worker', 'worker']
  const shared = { ...database.env, ...env, FLOWPOST_BOOTSTRAP_KEYS: `alice:${setup.keys.alice}` }
  const processes = await Promise.all(roles.map((role) => createServerProcess({ ...shared, FLOWPOST_ROLE: role })))
  try {
    await Promise.all(processes.map((process) => process.start()))
    const client = createFlowpost({ baseUrl: processes[0]?.url ?? '', apiKey: setup.keys.alice, timeout: 120_000 })
    const sendProbe = async (): Promise<void> => {
      const flow = probed[probes.size % probed.length]
      const subject = `probe ${probes.size}`
      const probe = { sentAt: Date.now(), receivedAt: undefined, interrupted: false }
      probes.set(subject, probe)
      await client.notifications.send({ project_id: flow.project_id, flow_id: flow.id, subject, message: 'm' })
    }
    const probesBefore = Math.min(maxProbesBefore, plan.deliveries / deliveriesPerProbeBefore)
    for (let sent = 0; sent < probesBefore; sent += 1) await Promise.all([sendProbe(), sleep(probeEveryMs)])
    const before = [...probes.values()]

    const startedAt = Date.now()
    const filter = { project_id: project.id, created_after: project.created_at, failure_code: '451' }
    const created = await client.bulkActions.create({ action: 'retry', filter })
    if (!('id' in created)) throw new Error('The response is not an action.')
    const state = { ended: false }
    const probing = (async () => {
      while (!state.ended) await Promise.all([sendProbe(), sleep(probeEveryMs)])
    })()
    const kills = await killWorkers(plan, { processes, probes, database }, () => isRunning(client, created.id))
    const action = await waitForEnd(client, created.id)
    while (await hasOpen(client, flow.id)) await sleep(100)
    const seconds = (Date.now() - startedAt) / 1_000
    state.ended = true
    await probing
    await sleep(1_000)
    await Promise.all(processes.map((process) => process.kill()))
    const during = [...probes.values()].slice(before.length)
    return {
      action,
      kills,
      ...(await countResults(database)),
      latencies: { before: latenciesOf(before), during: latenciesOf(during.filter(({ interrupted }) => !interrupted)) },
      interruptedProbes: during.filter(({ interrupted }) => interrupted).length,
      seconds,
    }
  } finally {
    await Promise.all(processes.map((process) => process.kill()))
  }
}

const latenciesOf = (probes: readonly Probe[]): number[] =>
  probes.map(({ sentAt, receivedAt = Number.POSITIVE_INFINITY }) => receivedAt - sentAt).sort((one, other) => one - other)

const isRunning = async (client: Flowpost, id: string): Promise<boolean> => (await client.bulkActions.get(id)).status === 'running'

const waitForEnd = async (client: Flowpost, id: string) => {
  for (;;) {
    const action = await client.bulkActions.get(id, { wait: 30 })
    if (action.status !== 'running') return action
  }
}

const hasOpen = async (client: Flowpost, flowId: string): Promise<boolean> => {
  for (const status of ['queued', 'sending'] as const)
    for await (const _ of client.notifications.list({ flow_id: flowId, status, limit: 1 })) return true
  return false
}

/**
 * Kills and restarts workers until the planned number of kills is reached or the bulk action has ended. Returns the number of
 * kills.
 */
const killWorkers = async (
  plan: BulkPlan,
  run: { readonly processes: readonly ServerProcess[]; readonly probes: ReadonlyMap<string, Probe>; readonly database: TestDatabase },
  running: () => Promise<boolean>,
): Promise<number> => {
  const { processes, probes, database } = run
  const random = createRandom(plan.seed)
  const victims = processes.filter(({ role }) => role !== 'api')
  const pauseMs = Math.min(5_000, plan.deliveries / 10)
  let kills = 0
  while (kills < plan.kills && (await running())) {
    await sleep(pauseMs * random.next())
    if (plan.endLeases) {
      await Promise.all(victims.map((victim) => victim.kill()))
      await onDatabase(database, (query) => query('update delivery_jobs set due_at = now(), leased = false where leased'))
    } else await random.pick(victims).kill()
    for (const probe of probes.values()) probe.interrupted ||= probe.receivedAt === undefined
    kills += 1
    await Promise.all(victims.map((victim) => victim.start()))
  }
  return kills
}

const countResults = (database: TestDatabase): Promise<Pick<BulkReport, 'attempts' | 'statuses'>> =>
  onDatabase(database, async (query) => {
    const retried = `from deliveries d where d.target like 'even-%' or d.target like 'odd-%'`
    const attempts = await query<{ ended: number; count: number }>(
      `select ended, count(*)::int as count from (
         select (select count(*)::int from attempts a where a.delivery_id = d.id and a.duration_ms is not null) as ended ${retried}
       ) counted group by 1`,
    )
    const statuses = await query<{ status: string; count: number }>(`select d.status, count(*)::int as count ${retried} group by 1`)
    return {
      attempts: Object.fromEntries(attempts.map(({ ended, count }) => [ended, count])),
      statuses: Object.fromEntries(statuses.map(({ status, count }) => [status, count])),
    }
  })
