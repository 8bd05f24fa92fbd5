import { residentMiB } from '../processes/memory.ts'
import { type Comparison, compare, type Figure } from '../result.ts'
import { interleave } from '../rounds.ts'
import { quantile } from '../statistics.ts'
import { type Accepting, type Flows, startBaseline, startEmbedded, startOnPostgres, startStatementAlone } from './accepting-servers.ts'
import { type Context, type Findings, reportRounds } from './context.ts'
import { cpuFigures, type Saturated } from './saturated.ts'

const flowCounts: readonly (readonly [Flows, string])[] = [
  ['one', 'one flow'],
  ['three', 'three flows'],
]
const goals = {
  one: { postgres: { atLeast: 1.25 }, embedded: { atLeast: 0.95 } },
  three: { postgres: { atLeast: 1.15 }, embedded: { atLeast: 0.8 } },
} as const
const unit = 'notifications/s'
const baselineName = 'node:http + one prepared statement'

const memory = async (server: Accepting, database: string): Promise<Figure> => ({
  title: `Memory after accepting, ${database}`,
  unit: 'MiB',
  value: await residentMiB(server.pid),
})

const pgliteCpu = (title: string, embedded: Saturated): Figure[] => embedded.cpuFigure(`CPU time per operation: ${title}, PGlite`)

const measureEmbeddedAlone = async (context: Context, embedded: Accepting): Promise<Findings> => {
  const figures: Figure[] = []
  for (const [flows, title] of flowCounts) {
    const server = embedded.with(flows)
    const { PGlite } = await interleave(context.options.rounds, { PGlite: server.perSecond }, reportRounds(context, `Accepted, ${title}`))
    figures.push({ title: `Accepted, ${title}, PGlite`, unit, value: quantile(PGlite, 0.5) })
    figures.push(...pgliteCpu(`Accepted, ${title}`, server))
  }
  return { comparisons: [], figures: [...figures, await memory(embedded, 'PGlite')] }
}

/** Measures how many notifications per second are accepted, and the memory that the servers use afterwards. */
export const measureAccepting = async (context: Context): Promise<Findings> => {
  const { postgres, options } = context
  const embedded = await startEmbedded(context)
  if (!postgres) return measureEmbeddedAlone(context, embedded)
  const server = await startOnPostgres(context, postgres, 'accept')
  const baseline = await startBaseline(context, postgres, 'accept_baseline')
  const statementAlone = await startStatementAlone(context, postgres)
  const comparisons: Comparison[] = []
  const figures: Figure[] = []

  for (const [flows, flowCount] of flowCounts) {
    const title = `Accepted, ${flowCount}`
    const [bare, flowpost, pglite] = [baseline.with(flows), server.with(flows), embedded.with(flows)]
    const sides = {
      PGlite: pglite.perSecond,
      baseline: bare.perSecond,
      Flowpost: flowpost.perSecond,
      'statement alone': () => statementAlone(flows),
    }
    const measured = await interleave(options.rounds, sides, reportRounds(context, title))
    const head = { title, unit, baseline: baselineName, subject: 'Flowpost' }
    const alone = { ...head, id: `accept-${flows}-alone`, baseline: 'the statement alone, without HTTP' }
    const onPglite = { ...head, id: `accept-${flows}-pglite`, subject: 'Flowpost on PGlite', goal: goals[flows].embedded }
    comparisons.push(
      compare({ ...head, id: `accept-${flows}`, goal: goals[flows].postgres }, measured.baseline, measured.Flowpost),
      compare(alone, measured['statement alone'], measured.Flowpost),
      compare(onPglite, measured.baseline, measured.PGlite),
    )
    figures.push(...cpuFigures(title, bare, flowpost), ...pgliteCpu(title, pglite))
  }
  return { comparisons, figures: [...figures, await memory(server, 'PostgreSQL'), await memory(embedded, 'PGlite')] }
}

/** Measures the latency of a single client on an idle server. */
export const measureLatency = async (context: Context): Promise<Findings> => {
  const { postgres, options } = context
  if (!postgres) return { comparisons: [], figures: [] }
  const baseline = (await startBaseline(context, postgres, 'latency_baseline')).with('one')
  const server = (await startOnPostgres(context, postgres, 'latency')).with('one')
  // Warms up the JIT compiler with the default number of connections. A single connection would send too few requests.
  for (const side of [baseline, server]) await side.run()
  const sides = { baseline: async () => (await baseline.run(1)).p50Ms, Flowpost: async () => (await server.run(1)).p50Ms }
  const title = 'Accept, p50 at one connection'
  const measured = await interleave(options.rounds, sides, reportRounds(context, title))
  const head = { id: 'accept-latency', title, unit: 'ms', baseline: baselineName, subject: 'Flowpost', goal: { atMost: 1.5 } }
  return { comparisons: [compare(head, measured.baseline, measured.Flowpost)], figures: [] }
}
