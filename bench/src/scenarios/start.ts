import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startFlowpost } from '../processes/flowpost-server.ts'
import { residentMiB } from '../processes/memory.ts'
import type { Figure } from '../result.ts'
import { quantile } from '../statistics.ts'
import type { Context, Findings } from './context.ts'

const idleMs = 3_000
const shortIdleMs = 200

interface Start {
  readonly firstMs: number
  readonly againMs: number
  readonly idleMiB: number
}

/** Starts a server twice on the same database, and leaves the second one alone for a while. */
const startTwice = async (environment: Record<string, string>, restMs: number): Promise<Start> => {
  const first = await startFlowpost(environment)
  await first.stop()
  const again = await startFlowpost(environment)
  try {
    await sleep(restMs)
    return { firstMs: first.startedInMs, againMs: again.startedInMs, idleMiB: await residentMiB(again.pid) }
  } finally {
    await again.stop()
  }
}

const figuresOf = (database: string, starts: readonly Start[]): Figure[] => {
  const figure = (title: string, unit: string, of: (start: Start) => number): Figure => ({
    title: `${title}, ${database}`,
    unit,
    value: quantile(starts.map(of), 0.5),
  })
  return [
    figure('First start, from nothing to ready', 's', ({ firstMs }) => firstMs / 1000),
    figure('Every further start', 's', ({ againMs }) => againMs / 1000),
    figure('Memory when idle', 'MiB', ({ idleMiB }) => idleMiB),
  ]
}

/** How long a server takes to start, and what it holds when it has nothing to do. */
export const measureStart = async (context: Context): Promise<Findings> => {
  const { postgres, options, say } = context
  const restMs = options.short ? shortIdleMs : idleMs
  const embedded: Start[] = []
  const onPostgres: Start[] = []
  for (let round = 1; round <= Math.min(options.rounds, 3); round += 1) {
    const folder = await mkdtemp(join(tmpdir(), 'flowpost-bench-'))
    embedded.push(await startTwice({ FLOWPOST_DATA_DIR: folder }, restMs).finally(() => rm(folder, { recursive: true })))
    if (postgres) onPostgres.push(await startTwice({ DATABASE_URL: await postgres.databases.create(`start_${round}`) }, restMs))
    say(`start, round ${round}: ${JSON.stringify({ embedded: embedded.at(-1), postgres: onPostgres.at(-1) })}`)
  }
  return {
    comparisons: [],
    figures: [...figuresOf('PGlite', embedded), ...(onPostgres.length > 0 ? figuresOf('PostgreSQL', onPostgres) : [])],
  }
}
