import { availableParallelism } from 'node:os'
import { type FlowpostServer, startFlowpost } from '../processes/flowpost-server.ts'
import { type Comparison, compare } from '../result.ts'
import { interleave, type Measure } from '../rounds.ts'
import { completedInDatabase, completedOnServer } from './completion.ts'
import { type Context, type Findings, type PreparedPostgres, reportRounds } from './context.ts'
import { startEmbeddedServer } from './embedded-server.ts'
import { arrivalRate, type Mail, mailAlone, receiveAll, sendNumbered, startMail } from './mail.ts'

const messagesPerSecond = 1_500
const shortMessages = 150
// One core for each of the two workers, one for the database and one for the mail server.
const coresForTwoWorkers = 4
const firstFillMs = 1_000
const firstFillMsPerMessage = 1

interface Workload {
  readonly context: Context
  readonly mail: Mail
  /** The number of messages in the queue when delivery starts. */
  readonly count: number
  /** Waits for all messages. Returns how many per second arrived between the first and the last arrival. */
  arrived(): Promise<number>
}

const sendAlone = ({ mail: { sink, nodemailer }, count, arrived }: Workload): Measure => {
  return async () => {
    await sink.call('reset')
    await nodemailer.call('sendAll', { mail: mailAlone, count })
    return arrived()
  }
}

/** Starts one API process and two workers. The workers are suspended (SIGSTOP) while the queue fills. */
const startWorkers = async ({ context, mail, count, arrived }: Workload, postgres: PreparedPostgres) => {
  const { options, defer } = context
  const url = await postgres.databases.create('delivery', postgres.template)
  const start = async (role: string, profileDir?: string) => {
    const server = await startFlowpost({ DATABASE_URL: url, FLOWPOST_ROLE: role, ...mail.environment }, profileDir)
    defer(server.stop)
    return server
  }
  const api = await start('api')
  const workers = [await start('worker', options.profileDir), await start('worker')]
  const drain = async (working: readonly FlowpostServer[]): Promise<number> => {
    await mail.sink.call('reset')
    for (const worker of workers) worker.signal('SIGSTOP')
    await sendNumbered(context, api.port, postgres.projects.one, count)
    for (const worker of working) worker.signal('SIGCONT')
    const rate = await arrived()
    await completedInDatabase(url)
    return rate
  }
  return { one: () => drain(workers.slice(0, 1)), two: () => drain(workers) }
}

/**
 * Starts an embedded server. The API and the worker run in the same process, so the worker cannot be suspended while the
 * queue fills. Instead, all messages are scheduled for the same later time, so that the queue fills before delivery starts.
 */
const startEmbedded = async ({ context, mail, count, arrived }: Workload): Promise<Measure> => {
  const { server, projects } = await startEmbeddedServer(context, mail.environment)
  let fillMs = firstFillMs + count * firstFillMsPerMessage
  const drain = async (): Promise<number> => {
    await mail.sink.call('reset')
    const startedAtMs = Date.now()
    const dueAtMs = startedAtMs + fillMs
    await sendNumbered(context, server.port, projects.one, count, { sendAt: new Date(dueAtMs) })
    const filledAtMs = Date.now()
    const rate = await arrived()
    await completedOnServer(server.port)
    fillMs = Math.max(firstFillMs, 2 * (filledAtMs - startedAtMs))
    // If delivery started before all messages were queued, the rate is wrong, so the round is repeated. Short runs do not
    // repeat it, because they only check that everything works.
    return context.options.short || filledAtMs < dueAtMs ? rate : drain()
  }
  return drain
}

/** Measures how many messages per second reach a mail server that is never the bottleneck. */
export const measureDelivery = async (context: Context): Promise<Findings> => {
  const { postgres, options } = context
  const mail = await startMail(context)
  const count = options.short ? shortMessages : Math.round((messagesPerSecond * options.measuredMs) / 1000)
  const arrived = async () => arrivalRate(await receiveAll(mail, count))
  const workload: Workload = { context, mail, count, arrived }
  const head = { title: 'Delivered by SMTP', unit: 'messages/s' }
  const always = { alone: sendAlone(workload), embedded: await startEmbedded(workload) }
  const report = reportRounds(context, 'delivered/s')
  if (!postgres) {
    const { alone, embedded } = await interleave(options.rounds, always, report)
    const onPglite = { ...head, id: 'deliver-embedded-alone', baseline: 'nodemailer alone', subject: 'Flowpost on PGlite' }
    return { comparisons: [compare(onPglite, alone, embedded)], figures: [] }
  }
  const workers = await startWorkers(workload, postgres)
  const { alone, one, two, embedded } = await interleave(options.rounds, { ...always, ...workers }, report)
  const cores = availableParallelism()
  const needed = `needs ${coresForTwoWorkers} cores or more, and this machine has ${cores}`
  const comparisons: Comparison[] = [
    compare({ ...head, id: 'deliver', baseline: 'nodemailer alone', subject: 'one worker', goal: { atLeast: 0.8 } }, alone, one),
    compare(
      {
        ...head,
        id: 'deliver-two',
        baseline: 'one worker',
        subject: 'two workers',
        goal: { atLeast: 1.7 },
        ...(cores < coresForTwoWorkers ? { notJudged: needed } : {}),
      },
      one,
      two,
    ),
    compare(
      { ...head, id: 'deliver-embedded', baseline: 'one worker on PostgreSQL', subject: 'Flowpost on PGlite', goal: { atLeast: 0.6 } },
      one,
      embedded,
    ),
  ]
  return { comparisons, figures: [] }
}
