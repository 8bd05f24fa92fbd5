import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRandom } from '../fuzz/random.ts'
import { type EventReceiver, startEventReceiver } from '../support/event-receiver.ts'
import { startSmtpSink } from '../support/smtp-sink.ts'
import { crashRandomly, createRequest, waitForCompletion } from './crash-run.ts'
import { sendAll } from './load.ts'
import { createServerProcess } from './processes.ts'

/** The parameters of {@link runWithEvents}. */
export interface EventRunPlan {
  readonly messages: number
  readonly kills: number
  /** The seed for the random choice of the processes to kill and of the pauses. The actual timing also depends on the machine. */
  readonly seed: number
}

/** An event in the feed. */
export interface FeedEvent {
  readonly id: string
  readonly type: string
  readonly data: { readonly id: string; readonly notification_id?: string }
}

/** The result of {@link runWithEvents}. */
export interface EventRunReport {
  /** The ids of the accepted notifications. */
  readonly accepted: readonly string[]
  /** The events that a reader received by following the feed during the run. */
  readonly followed: readonly FeedEvent[]
  /** The events in the feed after the run. */
  readonly feed: readonly FeedEvent[]
  readonly secret: string
  /** The requests that the endpoint received and answered with 204. */
  readonly received: EventReceiver['received']
  readonly kills: number
}

const eventTypes = ['delivery.sent', 'delivery.failed', 'delivery.ambiguous', 'delivery.canceled', 'notification.settled']

/**
 * Sends messages while APIs and workers on PostgreSQL are killed at random moments. Meanwhile, a reader follows the feed, and
 * an endpoint receives the events. Resolves when every message is completed and the endpoint has received the last event.
 */
export const runWithEvents = async (plan: EventRunPlan, databaseUrl: string): Promise<EventRunReport> => {
  await using smtp = await startSmtpSink({ record: false })
  await using receiver = await startEventReceiver()
  const random = createRandom(plan.seed).next
  const key = `fp_${randomBytes(24).toString('base64url')}`
  const env = {
    DATABASE_URL: databaseUrl,
    FLOWPOST_BOOTSTRAP_KEYS: `alice:${key}`,
    FLOWPOST_SMTP_URL: smtp.url,
    FLOWPOST_EMAIL_FROM: 'noreply@example.com',
    FLOWPOST_RATE_LIMIT: 'off',
    FLOWPOST_ENCRYPTION_KEY: `k1:${randomBytes(32).toString('base64')}`,
    FLOWPOST_EGRESS_ALLOW: '127.0.0.0/8',
  }
  const processes = await Promise.all(
    ['api', 'api', 'worker', 'worker'].map((FLOWPOST_ROLE) => createServerProcess({ ...env, FLOWPOST_ROLE })),
  )
  try {
    await Promise.all(processes.map((process) => process.start()))
    const apis = processes.filter(({ role }) => role !== 'worker')
    const request = createRequest(apis, key, 1_200)
    const project = (await request('POST', '/v1/settings/projects', { name: 'events' })) as { id: string }
    const settings = `/v1/settings/projects/${project.id}`
    await request('POST', `${settings}/flows`, { name: 'mail', source_type: 'smtp', target: 'a@example.com', override_target: true })
    const endpoint = (await request('POST', `${settings}/event-endpoints`, { url: receiver.url, events: eventTypes })) as { secret: string }

    const readAfter = async (cursor: string, wait = 0) =>
      (await request('GET', `/v1/events?limit=50&wait=${wait}${cursor === '' ? '' : `&cursor=${cursor}`}`)) as {
        data: FeedEvent[]
        cursor: string
      }
    const followed: FeedEvent[] = []
    let isDone = false
    const following = (async () => {
      for (let cursor = ''; ; ) {
        const part = await readAfter(cursor, 1)
        followed.push(...part.data)
        cursor = part.cursor
        if (isDone && part.data.length === 0) return
      }
    })()
    const sending = sendAll({ apis, key, projectId: project.id, count: plan.messages, concurrency: 10 })
    const crashing = crashRandomly({ plan: { ...plan, databaseCrashes: 0 }, processes, random, postgres: undefined })
    const [load, kills] = await Promise.all([sending, crashing])
    const accepted = [...load.accepted.values()]
    for (const id of accepted) await waitForCompletion(request, id)
    isDone = true
    await following

    const feed: FeedEvent[] = []
    for (let part = await readAfter(''); part.data.length > 0; part = await readAfter(part.cursor)) feed.push(...part.data)
    const last = feed.at(-1)?.id
    const deadlineMs = Date.now() + 90_000
    while (!receiver.received.some(({ json }) => json.id === last) && Date.now() < deadlineMs) await sleep(50)
    return { accepted, followed, feed, secret: endpoint.secret, received: [...receiver.received], kills }
  } finally {
    await Promise.all(processes.map((process) => process.kill()))
  }
}
