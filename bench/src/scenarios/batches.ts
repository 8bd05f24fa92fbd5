import { type Comparison, compare } from '../result.ts'
import { interleave } from '../rounds.ts'
import { type AcceptingBatches, startEmbedded, startOnPostgres } from './accepting-servers.ts'
import { type Context, type Findings, reportRounds } from './context.ts'

const items = 500
const goal = { atLeast: 1.5 }
const title = `Accepted in batches of ${items}, one flow`

/** Compares batches with single sends to the same server, over the same number of connections. */
const measure = async (context: Context, server: AcceptingBatches, database: string): Promise<Comparison> => {
  const [single, batches] = [server.with('one'), server.withBatches('one', items)]
  const sides = { single: single.perSecond, batches: async () => (await batches.perSecond()) * items }
  const measured = await interleave(context.options.rounds, sides, reportRounds(context, `${title}, ${database}`))
  const head = { id: `batch-${database.toLowerCase()}`, title, unit: 'notifications/s', baseline: `single sends, ${database}`, goal }
  return compare({ ...head, subject: `batches, ${database}` }, measured.single, measured.batches)
}

/** Measures how many notifications per second are accepted in batches. */
export const measureBatches = async (context: Context): Promise<Findings> => {
  const { postgres } = context
  const servers: (readonly [AcceptingBatches, string])[] = [[await startEmbedded(context), 'PGlite']]
  if (postgres) servers.unshift([await startOnPostgres(context, postgres, 'batch'), 'PostgreSQL'])
  const comparisons: Comparison[] = []
  for (const [server, database] of servers) comparisons.push(await measure(context, server, database))
  return { comparisons, figures: [] }
}
