import { setTimeout as sleep } from 'node:timers/promises'
import { storeNotifications } from '../../../apps/api/src/features/notifications/store-notifications.ts'
import type { Clock } from '../../../apps/api/src/shared/clock.ts'
import { makeNotification, outcomeOf, readFlows } from './churn-load.ts'
import { claimSize, openServerWork, type ServerWork } from './server-work.ts'
import { readSizes, rebuild, type TableSize } from './table-sizes.ts'

const hourMs = 3_600_000
/** The day begins when as much is removed as is accepted, which takes half of one. */
export const churnHours = 36
const ages = { contentMs: 4 * hourMs, logMs: 12 * hourMs }
const retentionEveryMs = 10 * 60_000
/** In these hours no worker runs, as in an outage. */
const outage = { from: 26, to: 27 }

const batchSize = 50
const lanes = 2
const mostWaiting = 2_000
const idleMs = 5

/** What was found at an hour of the simulated time. */
export interface ChurnSample {
  readonly hour: number
  readonly waiting: number
  /** Notifications accepted a second of the real time, since the sample before. */
  readonly perSecond: number
  readonly tables: readonly TableSize[]
}

/** What a day of coming and going leaves behind. */
export interface Churn {
  readonly notifications: number
  readonly tookMs: number
  readonly samples: readonly ChurnSample[]
  /** The tables as small as they can be, with what is in them at the end. */
  readonly rebuilt: readonly TableSize[]
}

/** A clock that has run through all hours when all notifications are accepted. */
const clockOf = (startMs: number, share: () => number): Clock & { hour(): number } => {
  const hour = () => share() * churnHours
  return { now: () => new Date(startMs + hour() * hourMs), hour }
}

/** What goes on at once: accepting, delivering and retention, by the statements of the server and a clock that runs faster. */
const runDay = async (work: ServerWork, databaseUrl: string, notifications: number, onHour: (sample: ChurnSample) => void) => {
  const flows = await readFlows(databaseUrl)
  const count = { accepted: 0, begun: 0, delivered: 0 }
  // The past, so that nothing is due later than the database's own clock, which the queue goes by.
  const clock = clockOf(Date.now() - churnHours * hourMs, () => count.accepted / notifications)
  const inOutage = () => clock.hour() >= outage.from && clock.hour() < outage.to
  // One that fails ends the others.
  let failed = false
  const isOver = () => failed || count.begun >= notifications
  const isDone = () => failed || count.delivered >= notifications

  const accept = async () => {
    while (!isOver()) {
      if (count.accepted - count.delivered >= mostWaiting && !inOutage()) {
        await sleep(idleMs)
        continue
      }
      const first = count.begun
      count.begun += batchSize
      const batch = Array.from({ length: batchSize }, (_, place) => {
        const flow = flows[Math.floor(Math.random() * flows.length)]
        if (!flow) throw new Error('There is no flow.')
        return makeNotification(flow, first + place, clock.now())
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
  const settled = tasks.map((task) =>
    task.catch((error: unknown) => {
      failed = true
      throw error
    }),
  )
  await Promise.allSettled(settled)
  await Promise.all(settled)
}

/** Simulates a day of coming and going on an otherwise empty database with settings, and looks at the tables every hour. */
export const simulateChurn = async (databaseUrl: string, notifications: number, say: (line: string) => void): Promise<Churn> => {
  const work = await openServerWork(databaseUrl)
  try {
    const startedMs = performance.now()
    const samples: ChurnSample[] = []
    await runDay(work, databaseUrl, notifications, (sample) => {
      samples.push(sample)
      const dead = sample.tables.reduce((sum, table) => sum + table.dead, 0)
      say(`hour ${sample.hour} of ${churnHours}: ${Math.round(sample.perSecond)} a second, ${sample.waiting} wait, ${dead} dead rows`)
    })
    const tookMs = performance.now() - startedMs
    for (const table of samples.at(-1)?.tables ?? []) await rebuild(work.database, table)
    return { notifications, tookMs, samples, rebuilt: await readSizes(work.database) }
  } finally {
    await work.close()
  }
}
