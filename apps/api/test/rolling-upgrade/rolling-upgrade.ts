import { setTimeout as sleep } from 'node:timers/promises'
import { createFlowpost, type Flowpost } from '@flowpost/client'
import type { Migration } from '../../src/database/migrate/migration.ts'
import { createRandom } from '../fuzz/random.ts'
import type { CompletedNotification, DeliveryReport } from '../support/expect-delivered.ts'
import { openTestDatabase } from '../support/open-database.ts'
import { type SmtpSink, startSmtpSink } from '../support/smtp-sink.ts'
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { nextRelease, previousRelease } from './releases.ts'

/** The parameters of an upgrade run. */
export interface UpgradePlan {
  /** The number of upgrades, each followed by a rollback. */
  readonly rounds: number
  /** The number of messages that must be accepted in each state, such as "both releases run". */
  readonly messagesPerPhase: number
  readonly concurrency: number
  /**
   * The pause after each call, in milliseconds. It keeps the number of messages low while servers start, which takes seconds.
   */
  readonly pauseMs: number
  /** The seed for the random choice of a server for each request. The actual timing also depends on the machine. */
  readonly seed: number
}

/** The result of an upgrade run. */
export interface UpgradeReport extends DeliveryReport {
  /** The errors of SDK calls. */
  readonly failed: readonly unknown[]
}

const readConcurrency = 20

/** The API and the worker of one release. */
interface Deployment {
  readonly api: TestServer
  readonly worker: TestServer
}

/**
 * Sends messages through the SDK while the next release migrates the database, runs beside the previous one, replaces it, and
 * is rolled back. Returns when every accepted notification is completed.
 */
export const runUpgrade = async (plan: UpgradePlan): Promise<UpgradeReport> => {
  await using smtp = await startSmtpSink()
  const database = await createTestDatabase()
  const running = new Set<Deployment>()
  const random = createRandom(plan.seed)
  try {
    const previous = await deploy(database, smtp, previousRelease, running)
    // Picks a running deployment, as a load balancer would.
    const pick = () => random.pick([...running]).api.url
    const flowpost = createFlowpost({
      baseUrl: previous.api.url,
      apiKey: previous.api.keys.alice,
      fetch: (url, init) => fetch(new URL(url).href.replace(new URL(url).origin, pick()), init),
    })
    const load = await startLoad(flowpost, plan)
    const phase = () => load.reach(load.accepted.size + plan.messagesPerPhase)
    const replace = async (old: Deployment, migrations: readonly Migration[]): Promise<Deployment> => {
      const started = await deploy(database, smtp, migrations, running, old.api.keys)
      await phase()
      await retire(old, running)
      await phase()
      return started
    }
    await phase()
    let current = previous
    for (let round = 0; round < plan.rounds; round += 1) {
      // Runs the migrations of the next release. In later rounds, nothing is left to migrate.
      await (await openTestDatabase(database, { migrations: nextRelease })).close()
      await phase()
      current = await replace(current, nextRelease)
      current = await replace(current, previousRelease)
    }
    await load.stop()
    const completed = new Map<string, CompletedNotification>()
    const entries = load.accepted.entries()
    const readAll = async () => {
      for (const [subject, id] of entries) completed.set(subject, await flowpost.notifications.get(id, { wait: 30 }))
    }
    await Promise.all(Array.from({ length: readConcurrency }, readAll))
    return { accepted: load.accepted, completed, received: [...smtp.received], failed: load.failed }
  } finally {
    for (const deployment of running) await retire(deployment, running)
    await database.remove()
  }
}

const deploy = async (
  database: TestDatabase,
  smtp: SmtpSink,
  migrations: readonly Migration[],
  running: Set<Deployment>,
  keys?: TestServer['keys'],
): Promise<Deployment> => {
  const env = {
    FLOWPOST_CAPTURE: 'off',
    FLOWPOST_SMTP_URL: smtp.url,
    FLOWPOST_EMAIL_FROM: 'noreply@example.com',
    FLOWPOST_RATE_LIMIT: 'off',
    // The deployment runs its migrations separately.
    FLOWPOST_MIGRATE: 'off',
  }
  const start = (FLOWPOST_ROLE: string) =>
    startTestServer({ database, migrations, env: { ...env, FLOWPOST_ROLE }, ...(keys === undefined ? {} : { keys }) })
  const worker = await start('worker')
  const deployment = { worker, api: await start('api') }
  running.add(deployment)
  return deployment
}

/** Stops a deployment as an orchestrator does: its API receives no new requests, then both processes are stopped. */
const retire = async (deployment: Deployment, running: Set<Deployment>): Promise<void> => {
  running.delete(deployment)
  await Promise.all([deployment.api.stop(), deployment.worker.stop()])
}

/** Sends messages one after the other in several concurrent loops, until `stop` is called. */
const startLoad = async (flowpost: Flowpost, { concurrency, pauseMs }: UpgradePlan) => {
  const accepted = new Map<string, string>()
  const failed: unknown[] = []
  const waiting = new Set<() => void>()
  let stopped = false
  let count = 0
  const { id: project_id } = await flowpost.projects.create({ name: 'upgrade' })
  await flowpost.flows.create(project_id, { name: 'mail', source_type: 'smtp', target: 'ops@example.com' })
  const sendOne = async (): Promise<void> => {
    count += 1
    const subject = `message ${count}`
    try {
      accepted.set(subject, (await flowpost.notifications.send({ project_id, subject, message: 'x' })).id)
    } catch (error) {
      failed.push(error)
    }
    for (const check of waiting) check()
    await sleep(pauseMs)
  }
  const loops = Array.from({ length: concurrency }, async () => {
    while (!stopped) await sendOne()
  })
  return {
    accepted,
    failed,
    /** Resolves once this many messages were accepted, or a call has failed. */
    reach: (total: number) =>
      new Promise<void>((resolve) => {
        const check = () => {
          if (accepted.size < total && failed.length === 0) return
          waiting.delete(check)
          resolve()
        }
        waiting.add(check)
        check()
      }),
    stop: async () => {
      stopped = true
      await Promise.all(loops)
    },
  }
}
