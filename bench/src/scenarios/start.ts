import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { startFlowpost } from '../processes/flowpost-server.ts'
import { residentMiB } from '../processes/memory.ts'
import type { Figure } from '../result.ts'
import { quantile } from '../statistics.ts'
import type { Context, Findings } from './context.ts'

const run = promisify(execFile)
const bundler = fileURLToPath(new URL('../../../scripts/bundle-server.ts', import.meta.url))
const idleMs = 3_000
const shortIdleMs = 200

interface Start {
  readonly firstMs: number
  readonly againMs: number
  readonly idleMiB: number
}

/** Starts a server twice on the same database, and leaves the second one alone for a while. */
const startTwice = async (environment: Record<string, string>, restMs: number, program?: string): Promise<Start> => {
  const first = await startFlowpost(environment, undefined, program)
  await first.stop()
  const again = await startFlowpost(environment, undefined, program)
  try {
    await sleep(restMs)
    return { firstMs: first.startedInMs, againMs: again.startedInMs, idleMiB: await residentMiB(again.pid) }
  } finally {
    await again.stop()
  }
}

const startEmbedded = async (restMs: number, program?: string): Promise<Start> => {
  const folder = await mkdtemp(join(tmpdir(), 'flowpost-bench-'))
  return startTwice({ FLOWPOST_DATA_DIR: folder }, restMs, program).finally(() => rm(folder, { recursive: true }))
}

/** Bundles the server as it is deployed. */
const makeBundle = async (later: Context['later']): Promise<{ program: string; mebibytes: number }> => {
  const folder = await mkdtemp(join(tmpdir(), 'flowpost-bench-'))
  later(() => rm(folder, { recursive: true }))
  const { stdout } = await run(process.execPath, [bundler, folder])
  return { program: join(folder, 'bin/flowpost.js'), mebibytes: Number(/([\d.]+) MiB/.exec(stdout)?.[1]) }
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
  const { postgres, options, later, say } = context
  const restMs = options.short ? shortIdleMs : idleMs
  const bundle = await makeBundle(later)
  const embedded: Start[] = []
  const bundled: Start[] = []
  const onPostgres: Start[] = []
  for (let round = 1; round <= Math.min(options.rounds, 3); round += 1) {
    embedded.push(await startEmbedded(restMs))
    bundled.push(await startEmbedded(restMs, bundle.program))
    if (postgres) onPostgres.push(await startTwice({ DATABASE_URL: await postgres.databases.create(`start_${round}`) }, restMs))
    say(`start, round ${round}: ${JSON.stringify({ embedded: embedded.at(-1), bundled: bundled.at(-1), postgres: onPostgres.at(-1) })}`)
  }
  return {
    comparisons: [],
    figures: [
      ...figuresOf('PGlite', embedded),
      ...figuresOf('PGlite, bundled', bundled),
      ...(onPostgres.length > 0 ? figuresOf('PostgreSQL', onPostgres) : []),
      { title: 'Size of the bundle', unit: 'MiB', value: bundle.mebibytes },
    ],
  }
}
