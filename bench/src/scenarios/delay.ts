import { startFlowpost } from '../processes/flowpost-server.ts'
import { compare } from '../result.ts'
import { interleave } from '../rounds.ts'
import { quantile } from '../statistics.ts'
import { type Context, type Findings, reportRounds } from './context.ts'
import { mailAlone, receiveAll, sendNumbered, startMail } from './mail.ts'

const burst = 1_000
const shortBurst = 100
const load = 0.2
// A 99th percentile needs a few hundred messages.
const minCount = 300

/** Measures the time from the 202 response until the mail server accepts the message, at 20 % of the maximum load. */
export const measureDelay = async (context: Context): Promise<Findings> => {
  const { postgres, options } = context
  if (!postgres) return { comparisons: [], figures: [] }
  const { sink, nodemailer, environment } = await startMail(context)
  const url = await postgres.databases.create('delay', postgres.template)
  const server = await startFlowpost({ DATABASE_URL: url, ...environment }, options.profileDir)
  context.defer(server.stop)

  const sendAll = async (count: number, rate = Number.POSITIVE_INFINITY) => {
    await sink.call('reset')
    const respondedAtMs = await sendNumbered(context, server.port, postgres.projects.one, count, { rate })
    return { respondedAtMs, arrivedAtMs: await receiveAll({ sink }, count) }
  }
  /** Measures the maximum rate, in messages per second, at which one process accepts and delivers messages. */
  const capacity = async (): Promise<number> => {
    const count = options.short ? shortBurst : burst
    const startedMs = performance.now()
    await sendAll(count)
    return (count * 1000) / (performance.now() - startedMs)
  }
  await capacity()
  const rate = Math.max(1, Math.round(load * (await capacity())))
  const count = options.short ? rate : Math.max(minCount, Math.round((2 * rate * options.measuredMs) / 1000))

  const sides = {
    'nodemailer alone': async () => {
      await sink.call('reset')
      return quantile([...(await nodemailer.call('pace', { mail: mailAlone, count, rate }))], 0.99)
    },
    Flowpost: async () => {
      const { respondedAtMs, arrivedAtMs } = await sendAll(count, rate)
      return quantile([...arrivedAtMs.map((atMs, number) => atMs - (respondedAtMs[number] ?? Number.NaN))], 0.99)
    },
  }
  const measured = await interleave(
    options.rounds,
    sides,
    reportRounds(context, `Time from the 202 to SMTP acceptance at ${rate} messages/s, p99 in ms`),
  )
  const comparison = compare(
    {
      id: 'delay',
      title: 'From the 202 to the mail server, p99 at 20 % load',
      unit: 'ms',
      kind: 'difference',
      baseline: 'the SMTP exchange of nodemailer alone',
      subject: 'Flowpost',
      goal: { atMost: 50 },
    },
    measured['nodemailer alone'],
    measured.Flowpost,
  )
  return { comparisons: [comparison], figures: [{ title: 'Message rate at 20 % load', unit: 'messages/s', value: rate }] }
}
