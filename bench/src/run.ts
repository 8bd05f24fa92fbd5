import { availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os'
import { type BenchRedis, openBenchRedis } from './database/bench-redis.ts'
import { preparePostgres } from './database/prepare-postgres.ts'
import type { LoadGenerator } from './load/load-generator.ts'
import type { BenchOptions } from './options.ts'
import { type Cleanup, createCleanup } from './processes/cleanup.ts'
import { startProgram } from './processes/start-program.ts'
import type { BenchResult, Comparison, Figure } from './result.ts'
import { measureAccepting, measureLatency } from './scenarios/accept.ts'
import { measureBatches } from './scenarios/batches.ts'
import type { Context, Findings } from './scenarios/context.ts'
import { measureDelay } from './scenarios/delay.ts'
import { measureDelivery } from './scenarios/delivery.ts'
import { measureEvents } from './scenarios/events.ts'
import { measurePeers } from './scenarios/peers.ts'
import { measureSdk } from './scenarios/sdk.ts'
import { measureSettings } from './scenarios/settings.ts'
import { measureStart } from './scenarios/start.ts'
import { selectGroups } from './select-groups.ts'

const groups: Readonly<Record<string, (context: Context) => Promise<Findings>>> = {
  start: measureStart,
  accept: measureAccepting,
  batch: measureBatches,
  latency: measureLatency,
  settings: measureSettings,
  delivery: measureDelivery,
  delay: measureDelay,
  events: measureEvents,
  peers: measurePeers,
  sdk: measureSdk,
}

// Reading this many flows takes longer than a second, the lifetime of a cached flow. The uncached workload
// therefore never hits the cache.
const flowCount = 30_000
const shortFlowCount = 1_000

/** Describes the machine for the report. */
export const describeMachine = (): Omit<BenchResult['machine'], 'postgres'> => ({
  cpu: cpus()[0]?.model.trim() ?? 'unknown',
  cores: availableParallelism(),
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  system: `${type()} ${release()}`,
  node: process.versions.node,
  loadBefore: Math.round((loadavg()[0] ?? 0) * 10) / 10,
})

const openRedis = async (url: string, cleanup: Cleanup, print: (line: string) => void): Promise<BenchRedis | undefined> => {
  try {
    const redis = await openBenchRedis(url)
    cleanup.defer(redis.deleteKeys)
    return redis
  } catch (error) {
    const { host } = new URL(url)
    const reason = error instanceof Error ? error.message : String(error)
    print(`Redis at ${host} is not available (${reason}). Skipping the comparisons with BullMQ. Set REDIS_URL to use another server.`)
    return undefined
  }
}

const withoutJudgment = <Judged extends Comparison | Figure>(judged: Judged): Judged => ({ ...judged, notJudged: 'too short a run' })

/**
 * Runs the groups of measurements that the options select, each with new processes.
 * @param cleanup collects the steps that the caller must run afterwards, even if the run fails.
 * @throws TypeError if a group is unknown.
 */
export const runBench = async (options: BenchOptions, cleanup: Cleanup, print: (line: string) => void): Promise<BenchResult> => {
  const chosen = selectGroups(Object.keys(groups), options)
  const startedAt = new Date().toISOString()
  const machine = describeMachine()
  const load = startProgram<LoadGenerator>(new URL('./load/load-generator.ts', import.meta.url))
  cleanup.defer(load.stop)
  if (options.databaseUrl === undefined) print('DATABASE_URL is not set. Measuring only the embedded database.')
  const postgres =
    options.databaseUrl === undefined
      ? undefined
      : await preparePostgres(options.databaseUrl, options.short ? shortFlowCount : flowCount, cleanup.defer)

  const redis = chosen.includes('peers') ? await openRedis(options.redisUrl, cleanup, print) : undefined
  const findings: Findings[] = []
  for (const name of chosen) {
    const { defer, cleanUp } = createCleanup()
    cleanup.defer(cleanUp)
    findings.push((await groups[name]?.({ options, load, postgres, redis, defer, print })) ?? { comparisons: [], figures: [] })
    await cleanUp()
  }
  const { sdks } = findings.find((group) => group.sdks !== undefined) ?? {}
  return {
    startedAt,
    machine: { ...machine, postgres: postgres?.databases.version ?? null, ...(redis ? { redis: redis.version } : {}) },
    rounds: options.rounds,
    measuredMs: options.measuredMs,
    comparisons: findings.flatMap(({ comparisons }) => (options.short ? comparisons.map(withoutJudgment) : comparisons)),
    figures: findings.flatMap(({ figures }) => (options.short ? figures.map(withoutJudgment) : figures)),
    ...(sdks === undefined ? {} : { sdks }),
  }
}
