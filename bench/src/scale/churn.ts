import { setTimeout as sleep } from 'node:timers/promises'
import { storeNotifications } from '../../../apps/api/src/features/notifications/store-notifications.ts'
import type { Clock } from '../../../apps/api/src/shared/clock.ts'
import { createNotification, outcomeOf, readFlows } from './churn-load.ts'
import { claimSize, openServerWork, type ServerWork } from './server-work.ts'
import { readSizes, rebuild, type TableSize } from './table-sizes.ts'

const hourMs = 3_600_000
/**
 * The number of simulated hours. During the first 12 hours, the number of stored notifications grows. In the 24 hours
 * after that, retention removes as many notifications as the server accepts.
 */
export const churnHours = 36
const ages = { contentMs: 4 * hourMs, logMs: 12 * hourMs }
const retentionEveryMs = 10 * 60_000
/** The simulated hours at which the workers stop and start again. */
const outage = { from: 26, to: 27 }

const batchSize = 50
const lanes = 2
const maxWaiting = 2_000
const idleMs = 5

/** The state of the tables at one hour in the simulation. */
export interface ChurnSample {
  readonly hour: number
  readonly waiting: number
  /** The number of notifications accepted per second of real time since the previous sample. */
  readonly perSecond: number
  readonly tables: readonly TableSize[]
}

/** The result of a simulation. */
export interface Churn {
  readonly notifications: number
  readonly tookMs: number
  readonly samples: readonly ChurnSample[]
  /** The sizes of the tables after they were rebuilt at the end. */
  readonly rebuilt: readonly TableSize[]
}

/**
 * Returns a simulated clock. Its time depends on how many notifications have been accepted: it shows the start time when none
 * have been accepted, and a time {@link churnHours} later when all have been.
 * @param share returns the share of accepted notifications, from 0 to 1.
 */
const clockOf = (startMs: number, share: () => number): Clock & { hour(): number } => {
  const hour = () => share() * churnHours
  return { now: () => new Date(startMs + hour() * hourMs), hour }
}

/** Accepts, delivers and removes notifications concurrently, with the server's statements and an accelerated clock. */
const runDay = async (work: ServerWork, databaseUrl: string, notifications: number, onHour: (sample: ChurnSample) => void) => {
  const flows = await readFlows(databaseUrl)
  const count = { accepted: 0, started: 0, delivered: 0 }
  // The simulation ends at the current time. The queue uses the database's clock, so a job with a later due time would wait.
  const clock = clockOf(Date.now() - churnHours * hourMs, () => count.accepted / notifications)
  const inOutage = () => clock.hour() >= outage.from && clock.hour() < outage.to
  // The first failure ends all tasks.
  let failed = false
  const isOver = () => failed || count.started >= notifications
  const isDone = () => failed || count.delivered >= notifications

  const accept = async () => {
    while (!isOver()) {
      if (count.accepted - count.delivered >= maxWaiting && !inOutage()) {
        await sleep(idleMs)
        continue
      }
      const first = count.started
      count.started += batchSize
      const batch = Array.from({ length: batchSize }, (_, place) => {
        const flow = flows[Math.floor(Math.random() * flows.length)]
        if (!flow) throw new Error('The database has no flow.')
        return createNotification(flow, first + place, clock.now())
      })
      await storeNotifications(work.database, batch, new Date(clock.now().getTime() - 24 * hourMs))
      count.accepted += batchSize
    }
  }
  const deliver = async () => {
    while (!isDone()) {
      const jobs = inOutage() ? [] : await work.queue.claim(claimSize, { projectIds: [], userIds: [] })
      const sent = await work.deliver(jobs, clock, outcomeOf)
      count.delivered += sent
      if (jobs.length === 0) await sleep(idleMs)
    }
  }
  const every = async (ms: number, task: (hour: number) => Promise<unknown>) => {
    for (let next = ms / hourMs; next <= churnHours; next += ms / hourMs) {
      while (clock.hour() < next && !isDone()) await sleep(idleMs)
      if (failed) return
      await task(next)
    }
  }
  let last = { atMs: performance.now(), accepted: 0 }
  const sample = async (hour: number) => {
    const now = { atMs: performance.now(), accepted: count.accepted }
    const perSecond = ((now.accepted - last.accepted) * 1000) / (now.atMs - last.atMs)
    last = now
    onHour({ hour, waiting: count.accepted - count.delivered, perSecond, tables: await readSizes(work.database) })
  }
  const tasks = [every(retentionEveryMs, () => work.retain(ages, clock)), every(hourMs, sample)]
  for (let lane = 0; lane < lanes; lane += 1) tasks.push(accept(), deliver())
  const watched = tasks.map((task) =>
    task.catch((error: unknown) => {
      failed = true
      throw error
    }),
  )
  await Promise.allSettled(watched)
  await Promise.all(watched)
}

/** Simulates accepting, delivering and removing notifications for {@link churnHours}. Samples the tables every simulated hour. */
export const simulateChurn = async (databaseUrl: string, notifications: number, print: (line: string) => void): Promise<Churn> => {
  const work = await openServerWork(databaseUrl)
  try {
    const startedMs = performance.now()
    const samples: ChurnSample[] = []
    await runDay(work, databaseUrl, notifications, (sample) => {
      samples.push(sample)
      const dead = sample.tables.reduce((sum, table) => sum + table.dead, 0)
      print(
        `hour ${sample.hour} of ${churnHours}: ${Math.round(sample.perSecond)} accepted/s, ${sample.waiting} waiting, ${dead} dead rows`,
      )
    })
    const tookMs = performance.now() - startedMs
    for (const table of samples.at(-1)?.tables ?? []) await rebuild(work.database, table)
    return { notifications, tookMs, samples, rebuilt: await readSizes(work.database) }
  } finally {
    await work.close()
  }
}
