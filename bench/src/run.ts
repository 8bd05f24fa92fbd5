import { availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os'
import { type BenchRedis, openBenchRedis } from './database/bench-redis.ts'
import { preparePostgres } from './database/prepare-postgres.ts'
import type { LoadGenerator } from './load/load-generator.ts'
import type { BenchOptions } from './options.ts'
import type { Housekeeping } from './processes/housekeeping.ts'
import { createHousekeeping } from './processes/housekeeping.ts'
import { startProgram } from './processes/start-program.ts'
import type { BenchResult, Comparison, Figure } from './result.ts'
import { measureAccepting, measureLatency } from './scenarios/accept.ts'
import type { Context, Findings } from './scenarios/context.ts'
import { measureDelay } from './scenarios/delay.ts'
import { measureDelivery } from './scenarios/delivery.ts'
import { measurePeers } from './scenarios/peers.ts'
import { measureSdk } from './scenarios/sdk.ts'
import { measureSettings } from './scenarios/settings.ts'
import { measureStart } from './scenarios/start.ts'

const groups: Readonly<Record<string, (context: Context) => Promise<Findings>>> = {
  start: measureStart,
  accept: measureAccepting,
  latency: measureLatency,
  settings: measureSettings,
  delivery: measureDelivery,
  delay: measureDelay,
  peers: measurePeers,
  sdk: measureSdk,
}

// More than a round reads, so that every read of the uncached workload is the first one for a while.
const flowCount = 30_000
const shortFlowCount = 1_000

/** Everything of this machine that explains a number. */
export const describeMachine = (): Omit<BenchResult['machine'], 'postgres'> => ({
  cpu: cpus()[0]?.model.trim() ?? 'unknown',
  cores: availableParallelism(),
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  system: `${type()} ${release()}`,
  node: process.versions.node,
  loadBefore: Math.round((loadavg()[0] ?? 0) * 10) / 10,
})

const openRedis = async (url: string, overall: Housekeeping, say: (line: string) => void): Promise<BenchRedis | undefined> => {
  try {
    const redis = await openBenchRedis(url)
    overall.later(redis.deleteKeys)
    return redis
  } catch (error) {
    const { host } = new URL(url)
    const reason = error instanceof Error ? error.message : String(error)
    say(`No Redis server answers at ${host} (${reason}): the comparisons with BullMQ are skipped. Set REDIS_URL to use another one.`)
    return undefined
  }
}

const notJudged = <Judged extends Comparison | Figure>(judged: Judged): Judged => ({ ...judged, notJudged: 'too short a run' })

/**
 * Measures all groups, or those that are asked for, each with processes of its own.
 * @param overall Told what must be undone when the run ends, however it ends.
 * @throws TypeError for a group that does not exist.
 */
export const runBench = async (options: BenchOptions, overall: Housekeeping, say: (line: string) => void): Promise<BenchResult> => {
  const chosen = options.only ?? Object.keys(groups)
  const unknown = chosen.filter((name) => !(name in groups))
  if (unknown.length > 0) throw new TypeError(`There is no group ${unknown.join(', ')}: ${Object.keys(groups).join(', ')}.`)
  const startedAt = new Date().toISOString()
  const machine = describeMachine()
  const load = startProgram<LoadGenerator>(new URL('./load/load-generator.ts', import.meta.url))
  overall.later(load.stop)
  if (options.databaseUrl === undefined) say('There is no DATABASE_URL: only what the embedded database can tell is measured.')
  const postgres =
    options.databaseUrl === undefined
      ? undefined
      : await preparePostgres(options.databaseUrl, options.short ? shortFlowCount : flowCount, overall.later)

  const redis = chosen.includes('peers') ? await openRedis(options.redisUrl, overall, say) : undefined
  const findings: Findings[] = []
  for (const name of chosen) {
    const { later, undoAll } = createHousekeeping()
    overall.later(undoAll)
    findings.push((await groups[name]?.({ options, load, postgres, redis, later, say })) ?? { comparisons: [], figures: [] })
    await undoAll()
  }
  return {
    startedAt,
    machine: { ...machine, postgres: postgres?.databases.version ?? null, ...(redis ? { redis: redis.version } : {}) },
    rounds: options.rounds,
    measuredMs: options.measuredMs,
    comparisons: findings.flatMap(({ comparisons }) => (options.short ? comparisons.map(notJudged) : comparisons)),
    figures: findings.flatMap(({ figures }) => (options.short ? figures.map(notJudged) : figures)),
  }
}
