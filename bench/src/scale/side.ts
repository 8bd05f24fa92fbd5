import { seedProjects } from '../database/seed-projects.ts'
import { apiKey, startFlowpost } from '../processes/flowpost-server.ts'
import type { Context } from '../scenarios/context.ts'
import { sendNumbered } from '../scenarios/mail.ts'
import { saturated } from '../scenarios/saturated.ts'
import { addOld, oldMs } from './fill.ts'
import { findProjects, requestsOf } from './requests.ts'
import { claimSize, openServerWork, type ServerWork } from './server-work.ts'

const dayMs = 24 * 3_600_000
const never = 10_000 * dayMs
const removedCount = 2_000
const deliveredCount = 1_000

/** The measurements of a server on one database. Each function returns rates per second. */
export interface Side {
  readonly requests: Readonly<Record<string, () => Promise<number>>>
  /** Accepts notifications, and measures how fast their jobs are claimed and then recorded as sent. */
  deliver(): Promise<{ readonly claimed: number; readonly recorded: number }>
  /** Adds old notifications. Measures how fast retention removes first their message bodies, and then all their other rows. */
  retain(): Promise<{ readonly emptied: number; readonly removed: number }>
}

// The queue limit is high, because no worker empties the queue.
const environmentOf = (databaseUrl: string) => ({
  DATABASE_URL: databaseUrl,
  FLOWPOST_ROLE: 'api',
  FLOWPOST_SMTP_URL: 'smtp://127.0.0.1:9',
  FLOWPOST_EMAIL_FROM: 'bench@example.com',
  FLOWPOST_QUEUE_LIMIT: '10000000',
})

/** Creates the tables, and the settings of the user who sends the measured requests. */
export const seedSide = async (databaseUrl: string): Promise<void> => {
  const server = await startFlowpost(environmentOf(databaseUrl))
  await seedProjects(server.port).finally(server.stop)
}

const perSecond = (count: number, tookMs: number): number => (count * 1000) / tookMs

const deliverAll = async ({ queue, deliver }: ServerWork) => {
  const took = { claimMs: 0, recordMs: 0 }
  let count = 0
  for (;;) {
    const startedMs = performance.now()
    const jobs = await queue.claim(claimSize, { projectIds: [], userIds: [] })
    const claimedMs = performance.now()
    if (jobs.length === 0) return { claimed: perSecond(count, took.claimMs), recorded: perSecond(count, took.recordMs) }
    await deliver(jobs)
    count += jobs.length
    took.claimMs += claimedMs - startedMs
    took.recordMs += performance.now() - claimedMs
  }
}

const retainOld = async (databaseUrl: string, { retain }: ServerWork) => {
  await addOld(databaseUrl, removedCount, oldMs)
  const emptied = await retain({ contentMs: oldMs, logMs: never })
  const removed = await retain({ contentMs: never, logMs: oldMs })
  if (emptied.rows < removedCount || removed.rows < removedCount)
    throw new Error(
      `Of ${removedCount} old notifications, retention removed the message bodies of ${emptied.rows} and the other rows of ${removed.rows}.`,
    )
  return { emptied: perSecond(emptied.rows, emptied.tookMs), removed: perSecond(removed.rows, removed.tookMs) }
}

/** Starts a server on a filled database. */
export const startSide = async (context: Context, databaseUrl: string): Promise<Side> => {
  const projects = await findProjects(databaseUrl)
  const server = await startFlowpost(environmentOf(databaseUrl))
  context.defer(server.stop)
  const work = await openServerWork(databaseUrl)
  context.defer(work.close)
  const requests = await requestsOf(databaseUrl, projects)
  return {
    requests: Object.fromEntries(
      Object.entries(requests).map(([title, list]) => [title, saturated(context, server, list, `Bearer ${apiKey}`).perSecond]),
    ),
    deliver: async () => {
      await deliverAll(work)
      await sendNumbered(context, server.port, projects.one, deliveredCount)
      return deliverAll(work)
    },
    retain: () => retainOld(databaseUrl, work),
  }
}
