import { sharedClockMs } from '../load/generate-load.ts'
import { apiKey, startFlowpost } from '../processes/flowpost-server.ts'
import { type Comparison, compare } from '../result.ts'
import { interleave, type Measure } from '../rounds.ts'
import { startOnPostgres } from './accepting-servers.ts'
import { completedInDatabase, completedOnServer } from './completion.ts'
import { type Context, type Findings, message, reportRounds } from './context.ts'
import { startEmbeddedServer } from './embedded-server.ts'
import { type Mail, receiveAll, sendNumbered, startMail } from './mail.ts'
import { startInlineServer, startQueueApi, startQueueWorker } from './peer-processes.ts'
import { saturated } from './saturated.ts'

// A measurement of the default duration (3 s) has 10,000 messages.
const messagesPerMeasuredMs = 10_000 / 3_000
const shortMessages = 100

interface Server {
  readonly port: number
  readonly projectId: string
  /** Waits until the server has completed all messages. */
  completed(): Promise<unknown>
}

const deliveredHead = (count: number) => ({
  title: `${count.toLocaleString('en-US')} messages, sent and delivered`,
  unit: 'messages/s',
})

// Peers have no projects, and ignore the project id.
const noProject = 'none'

/** Returns a function that measures messages per second, from the first request to the last delivery. */
const delivering = (context: Context, mail: Mail, count: number, { port, projectId, completed }: Server): Measure => {
  return async () => {
    await mail.sink.call('reset')
    const startedAtMs = sharedClockMs()
    await sendNumbered(context, port, { id: projectId }, count)
    const lastAtMs = (await receiveAll(mail, count)).reduce((last, atMs) => Math.max(last, atMs))
    await completed()
    return (count * 1000) / (lastAtMs - startedAtMs)
  }
}

/**
 * Compares Flowpost on PostgreSQL with a service that uses Express and BullMQ on Redis. Both have one API process and
 * one worker process.
 */
const compareQueues = async (context: Context, mail: Mail, count: number): Promise<Comparison[]> => {
  const { postgres, redis, options, defer } = context
  if (!postgres || !redis) return []
  const url = await postgres.databases.create('peers', postgres.template)
  const start = async (role: string) => {
    const server = await startFlowpost({ ...mail.environment, DATABASE_URL: url, FLOWPOST_ROLE: role }, options.profileDir)
    defer(server.stop)
    return server
  }
  const flowpost = await start('api')
  await start('worker')
  const queue = await startQueueApi(context, redis, 'delivery')
  await startQueueWorker(context, redis, 'delivery', mail.port)
  const peer: Server = { port: queue.port, projectId: noProject, completed: () => queue.api.call('completed') }
  const subject: Server = { port: flowpost.port, projectId: postgres.projects.one.id, completed: () => completedInDatabase(url) }
  const sides = { BullMQ: delivering(context, mail, count, peer), Flowpost: delivering(context, mail, count, subject) }
  const measured = await interleave(options.rounds, sides, reportRounds(context, 'messages sent and delivered per second'))
  const head = {
    ...deliveredHead(count),
    id: 'peers-queue',
    baseline: 'Express + BullMQ on Redis + nodemailer',
    subject: 'Flowpost',
    goal: { atLeast: 1.6 },
  }
  return [compare(head, measured.BullMQ, measured.Flowpost)]
}

/** Compares Flowpost on its embedded database with an Express server that queues mail only in memory. Each is one process. */
const compareInline = async (context: Context, mail: Mail, count: number): Promise<Comparison[]> => {
  const { server, projects } = await startEmbeddedServer(context, mail.environment)
  const port = await startInlineServer(context, mail.port)
  const peer: Server = { port, projectId: noProject, completed: async () => {} }
  const subject: Server = { port: server.port, projectId: projects.one.id, completed: () => completedOnServer(server.port) }
  const sides = { inline: delivering(context, mail, count, peer), PGlite: delivering(context, mail, count, subject) }
  const measured = await interleave(
    context.options.rounds,
    sides,
    reportRounds(context, 'messages sent and delivered per second, one process'),
  )
  const head = {
    ...deliveredHead(count),
    id: 'peers-inline',
    baseline: 'Express + nodemailer inline, no durability',
    subject: 'Flowpost on PGlite',
    goal: { atLeast: 0.6 },
  }
  return [compare(head, measured.inline, measured.PGlite)]
}

/** Compares how many notifications per second the API processes accept while no worker runs. */
const compareAccepting = async (context: Context): Promise<Comparison[]> => {
  const { postgres, redis, options } = context
  if (!postgres || !redis) return []
  const flowpost = (await startOnPostgres(context, postgres, 'peers_accept')).with('one')
  const { api, port } = await startQueueApi(context, redis, 'accept')
  const body = JSON.stringify({ ...message, target: 'operations-0@example.com' })
  const peer = saturated(context, { port, pid: api.pid }, [{ method: 'POST', path: '/v1/notifications', body }], `Bearer ${apiKey}`)
  const sides = {
    BullMQ: async () => {
      const rate = await peer.perSecond()
      await api.call('clear')
      return rate
    },
    Flowpost: flowpost.perSecond,
  }
  const measured = await interleave(options.rounds, sides, reportRounds(context, 'Accepted, workers stopped'))
  const head = {
    id: 'peers-accept',
    title: 'Accepted, workers stopped',
    unit: 'notifications/s',
    baseline: 'Express + BullMQ on Redis',
    subject: 'Flowpost',
    goal: { atLeast: 0.9 },
  }
  return [compare(head, measured.BullMQ, measured.Flowpost)]
}

/** Compares Flowpost with two hand-written services: one with a queue in Redis, and one without a queue. */
export const measurePeers = async (context: Context): Promise<Findings> => {
  const { short, measuredMs } = context.options
  const count = short ? shortMessages : Math.round(messagesPerMeasuredMs * measuredMs)
  const mail = await startMail(context)
  const queues = await compareQueues(context, mail, count)
  const inline = await compareInline(context, mail, count)
  const accepting = await compareAccepting(context)
  return { comparisons: [...queues, ...inline, ...accepting], figures: [] }
}
