import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { withClient } from '../database/bench-databases.ts'
import { type FlowpostServer, startFlowpost } from '../processes/flowpost-server.ts'
import { compare } from '../result.ts'
import { interleave } from '../rounds.ts'
import { type Context, type Findings, reportRounds } from './context.ts'
import { arrivals, mailAlone, sendNumbered, startMail } from './mail.ts'

const messagesASecond = 1_500
const arrivalTimeoutMs = 120_000
const settlePollMs = 50
// Two workers, the database and the mail server; with fewer they take the cores from each other.
const coresForTwoWorkers = 4

/** Waits until nothing is on its way any more. */
const settled = (databaseUrl: string): Promise<void> =>
  withClient(databaseUrl, async (client) => {
    for (;;) {
      const { rows } = await client.query("select 1 from deliveries where status in ('queued', 'sending', 'retrying') limit 1")
      if (rows.length === 0) return
      await sleep(settlePollMs)
    }
  })

const perSecond = (atMs: Float64Array): number => {
  const sorted = atMs.toSorted()
  return ((sorted.length - 1) * 1000) / ((sorted.at(-1) as number) - (sorted[0] as number))
}

/** Messages a second that reach a mail server which is never in the way. */
export const measureDelivery = async (context: Context): Promise<Findings> => {
  const { postgres, options, later } = context
  if (!postgres) return { comparisons: [], figures: [] }
  const { sink, nodemailer, environment } = await startMail(context)
  const url = await postgres.databases.create('delivery', postgres.template)
  const start = async (role: string, profileDir?: string) => {
    const server = await startFlowpost({ DATABASE_URL: url, FLOWPOST_ROLE: role, ...environment }, profileDir)
    later(server.stop)
    return server
  }
  const api = await start('api')
  const workers = [await start('worker', options.profileDir), await start('worker')]
  const count = Math.round((messagesASecond * options.measuredMs) / 1000)

  const arrived = async (): Promise<number> => {
    await sink.call('wait', { count, timeoutMs: arrivalTimeoutMs })
    return perSecond(arrivals(await sink.call('accepted'), count))
  }
  /** The workers stand still while the queue fills, and the others while it drains. */
  const drain = async (working: readonly FlowpostServer[]): Promise<number> => {
    await sink.call('reset')
    for (const worker of workers) worker.signal('SIGSTOP')
    await sendNumbered(context, api.port, postgres.projects.one, count)
    for (const worker of working) worker.signal('SIGCONT')
    const rate = await arrived()
    await settled(url)
    return rate
  }
  const sides = {
    'nodemailer alone': async () => {
      await sink.call('reset')
      await nodemailer.call('sendAll', { mail: mailAlone, count })
      return arrived()
    },
    'one worker': () => drain(workers.slice(0, 1)),
    'two workers': () => drain(workers),
  }
  const measured = await interleave(options.rounds, sides, reportRounds(context, 'delivered/s'))
  const cores = availableParallelism()
  const notJudged =
    cores < coresForTwoWorkers ? { notJudged: `needs ${coresForTwoWorkers} cores or more, and this machine has ${cores}` } : {}
  const unit = 'messages/s'
  return {
    comparisons: [
      compare(
        { id: 'deliver', title: 'Delivered by SMTP', unit, baseline: 'nodemailer alone', subject: 'one worker', goal: { atLeast: 0.8 } },
        measured['nodemailer alone'],
        measured['one worker'],
      ),
      compare(
        {
          id: 'deliver-two',
          title: 'Delivered by SMTP',
          unit,
          baseline: 'one worker',
          subject: 'two workers',
          goal: { atLeast: 1.7 },
          ...notJudged,
        },
        measured['one worker'],
        measured['two workers'],
      ),
    ],
    figures: [],
  }
}
