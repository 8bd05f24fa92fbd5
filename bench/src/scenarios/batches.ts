import { compare } from '../result.ts'
import { interleave } from '../rounds.ts'
import { type AcceptingBatches, startEmbedded, startOnPostgres } from './accepting-servers.ts'
import { type Context, type Findings, reportRounds } from './context.ts'

const items = 500
// The server combines concurrent batches into larger inserts, so each additional connection makes every batch slower. With
// too many connections, one batch would take longer than the whole measurement.
const connections = 10
const goal = { atLeast: 1.5 }
const title = `Accepted in batches of ${items}, one flow`

/** Compares batches with single sends to the same server, over the same number of connections. */
const measure = async (context: Context, server: AcceptingBatches, database: string): Promise<Findings> => {
  const [single, batches] = [server.with('one'), server.withBatches('one', items)]
  const sides = {
    single: async () => (await single.run(connections)).perSecond,
    batches: async () => (await batches.run(connections)).perSecond * items,
  }
  const measured = await interleave(context.options.rounds, sides, reportRounds(context, `${title}, ${database}`))
  const head = { id: `batch-${database.toLowerCase()}`, title, unit: 'notifications/s', baseline: `single sends, ${database}`, goal }
  const figures = [
    ...single.cpuFigure(`CPU time per single send, ${database}`),
    ...batches.cpuFigure(`CPU time per batch of ${items}, ${database}`),
  ]
  return { comparisons: [compare({ ...head, subject: `batches, ${database}` }, measured.single, measured.batches)], figures }
}

/** Measures how many notifications per second are accepted in batches. */
export const measureBatches = async (context: Context): Promise<Findings> => {
  const { postgres } = context
  const servers: (readonly [AcceptingBatches, string])[] = [[await startEmbedded(context), 'PGlite']]
  if (postgres) servers.unshift([await startOnPostgres(context, postgres, 'batch'), 'PostgreSQL'])
  const findings: Findings[] = []
  for (const [server, database] of servers) findings.push(await measure(context, server, database))
  return { comparisons: findings.flatMap(({ comparisons }) => comparisons), figures: findings.flatMap(({ figures }) => figures) }
}
