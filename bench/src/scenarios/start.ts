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

/** Starts a server twice on the same database. Measures the memory of the second server after it was idle for `restMs`. */
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

/** Bundles the server for deployment. */
const createBundle = async (defer: Context['defer']): Promise<{ program: string; mebibytes: number }> => {
  const folder = await mkdtemp(join(tmpdir(), 'flowpost-bench-'))
  defer(() => rm(folder, { recursive: true }))
  const { stdout } = await run(process.execPath, [bundler, folder])
  return { program: join(folder, 'bin/flowpost.js'), mebibytes: Number(/([\d.]+) MiB/.exec(stdout)?.[1]) }
}

interface Variant {
  readonly title: string
  /** The goal for the memory of an idle server: at most this many MiB. @default no goal */
  readonly maxIdleMiB?: number
  readonly start: () => Promise<Start>
}

const figuresOf = ({ title, maxIdleMiB }: Variant, starts: readonly Start[]): Figure[] => {
  const figure = (what: string, unit: string, of: (start: Start) => number): Figure => ({
    title: `${what}, ${title}`,
    unit,
    value: quantile(starts.map(of), 0.5),
  })
  const idle = figure('Memory when idle', 'MiB', ({ idleMiB }) => idleMiB)
  return [
    figure('First start, with an empty database', 's', ({ firstMs }) => firstMs / 1000),
    figure('Later starts', 's', ({ againMs }) => againMs / 1000),
    maxIdleMiB === undefined ? idle : { ...idle, goal: { atMost: maxIdleMiB } },
  ]
}

// Only bundled servers have a memory goal, because operators deploy the bundle. A server that runs from its sources needs more
// memory, because Node also loads the TypeScript sources and the code that strips their types.
const variantsOf = ({ postgres }: Context, restMs: number, bundled: string): Variant[] => {
  const variants: Variant[] = [
    { title: 'PGlite', start: () => startEmbedded(restMs) },
    { title: 'PGlite, bundled', maxIdleMiB: 330, start: () => startEmbedded(restMs, bundled) },
  ]
  if (!postgres) return variants
  let databases = 0
  const startApi = async (program?: string) => {
    databases += 1
    const url = await postgres.databases.create(`start_${databases}`)
    return startTwice({ DATABASE_URL: url, FLOWPOST_ROLE: 'api' }, restMs, program)
  }
  return [
    ...variants,
    { title: 'API on PostgreSQL', start: () => startApi() },
    { title: 'API on PostgreSQL, bundled', maxIdleMiB: 150, start: () => startApi(bundled) },
  ]
}

/** Measures the start time of a server and its memory when idle. */
export const measureStart = async (context: Context): Promise<Findings> => {
  const { options, defer, print } = context
  const bundle = await createBundle(defer)
  const variants = variantsOf(context, options.short ? shortIdleMs : idleMs, bundle.program)
  const starts = variants.map((): Start[] => [])
  for (let round = 1; round <= Math.min(options.rounds, 3); round += 1) {
    for (const [index, { title, start }] of variants.entries()) {
      const measured = await start()
      starts[index]?.push(measured)
      print(`start, round ${round}, ${title}: ${JSON.stringify(measured)}`)
    }
  }
  return {
    comparisons: [],
    figures: [
      ...variants.flatMap((variant, index) => figuresOf(variant, starts[index] ?? [])),
      { title: 'Size of the bundle', unit: 'MiB', value: bundle.mebibytes },
    ],
  }
}
