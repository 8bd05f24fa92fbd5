import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRandom } from '../fuzz/random.ts'
import type { CompletedNotification } from '../support/expect-delivered.ts'
import type { PrivatePostgres } from '../support/private-postgres.ts'
import { type ReceivedMail, startSmtpSink } from '../support/smtp-sink.ts'
import { type LoadResult, sendAll } from './load.ts'
import { createServerProcess, type ServerProcess } from './processes.ts'

/** The parameters of a crash run. */
export interface CrashPlan {
  readonly messages: number
  readonly kills: number
  readonly databaseCrashes: number
  /** The seed for the random choice of the processes to kill and of the pauses. The actual timing also depends on the machine. */
  readonly seed: number
}

/** The result of a crash run. */
export interface CrashReport {
  readonly load: LoadResult
  readonly received: readonly ReceivedMail[]
  /** The notifications that the API returns after the run, keyed by subject. */
  readonly completed: ReadonlyMap<string, CompletedNotification>
  readonly kills: number
  readonly duplicates: number
}

/**
 * Sends messages while server processes and the database are killed at random moments. Returns when every accepted
 * notification is completed.
 */
export const runCrashes = async (plan: CrashPlan, target: { postgres: PrivatePostgres } | { dataDir: string }): Promise<CrashReport> => {
  await using smtp = await startSmtpSink()
  const random = createRandom(plan.seed).next
  const key = `fp_${randomBytes(24).toString('base64url')}`
  const env = {
    FLOWPOST_BOOTSTRAP_KEYS: `alice:${key}`,
    FLOWPOST_SMTP_URL: smtp.url,
    FLOWPOST_EMAIL_FROM: 'noreply@example.com',
    FLOWPOST_RATE_LIMIT: 'off',
    ...('postgres' in target ? { DATABASE_URL: target.postgres.url } : { FLOWPOST_DATA_DIR: target.dataDir }),
  }
  const roles = 'postgres' in target ? ['api', 'api', 'worker', 'worker'] : ['all']
  const processes = await Promise.all(roles.map((FLOWPOST_ROLE) => createServerProcess({ ...env, FLOWPOST_ROLE })))
  try {
    await Promise.all(processes.map((process) => process.start()))
    const apis = processes.filter(({ role }) => role !== 'worker')
    const request = createRequest(apis, key)
    const project = (await request('POST', '/v1/settings/projects', { name: 'crash' })) as { id: string }
    await request('POST', `/v1/settings/projects/${project.id}/flows`, {
      name: 'mail',
      source_type: 'smtp',
      target: 'default@example.com',
      override_target: true,
    })
    const sending = sendAll({ apis, key, projectId: project.id, count: plan.messages, concurrency: 10 })
    const crashing = crashRandomly({ plan, processes, random, postgres: 'postgres' in target ? target.postgres : undefined })
    const [load, kills] = await Promise.all([sending, crashing])
    const completed = new Map<string, CompletedNotification>()
    for (const [subject, id] of load.accepted) completed.set(subject, await waitForCompletion(request, id))
    const duplicates = smtp.received.length - new Set(smtp.received.map(({ messageId }) => messageId)).size
    return { load, received: [...smtp.received], completed, kills, duplicates }
  } finally {
    await Promise.all(processes.map((process) => process.kill()))
  }
}

/**
 * Kills and restarts processes at random moments, and the database too if it is given. Returns the number of killed processes.
 */
export const crashRandomly = async (options: {
  plan: CrashPlan
  processes: readonly ServerProcess[]
  random: () => number
  postgres: PrivatePostgres | undefined
}): Promise<number> => {
  const { plan, processes, random, postgres } = options
  const crashEvery = plan.databaseCrashes === 0 ? Number.POSITIVE_INFINITY : Math.floor(plan.kills / (plan.databaseCrashes + 1))
  let kills = 0
  while (kills < plan.kills) {
    await sleep(100 + random() * 500)
    const victim = processes[Math.floor(random() * processes.length)]
    await victim?.kill()
    kills += 1
    const starting = victim?.start()
    if (postgres && kills % crashEvery === 0 && kills / crashEvery <= plan.databaseCrashes) {
      await postgres.stop('immediate')
      await sleep(random() * 500)
      await postgres.start()
    }
    await Promise.race([starting, sleep(5_000)])
  }
  // Restarts all processes, because a process that could not reach the database has exited.
  for (const process of processes) {
    await process.kill()
    await process.start()
  }
  return kills
}

/** Repeats a request, with one API after the other, until a response is successful. */
export type RequestFunction = (method: string, path: string, body?: object) => Promise<unknown>

/**
 * Creates a {@link RequestFunction}.
 * @param maxTries the maximum number of tries, a tenth of a second apart. Requests during crashes need more than the default.
 */
export const createRequest =
  (apis: readonly ServerProcess[], key: string, maxTries = 100): RequestFunction =>
  async (method, path, body) => {
    for (let tries = 0; ; tries += 1) {
      const response = await fetch(`${apis[tries % apis.length]?.url}${path}`, {
        method,
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
        ...(body ? { body: JSON.stringify(body) } : {}),
        signal: AbortSignal.timeout(90_000),
      }).catch(() => undefined)
      if (response?.ok) return response.json()
      if (tries > maxTries) throw new Error(`${method} ${path} failed: ${response?.status} ${await response?.text()}`)
      await sleep(100)
    }
  }

/** Waits until a notification is completed, and returns it. */
export const waitForCompletion = async (request: RequestFunction, id: string): Promise<CompletedNotification> => {
  for (let tries = 0; tries < 3; tries += 1) {
    const notification = (await request('GET', `/v1/notifications/${id}?wait=60`)) as CompletedNotification
    if (!['queued', 'sending'].includes(notification.status)) return notification
  }
  throw new Error(`${id} was not completed within three minutes.`)
}
