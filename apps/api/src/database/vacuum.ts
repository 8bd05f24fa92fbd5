import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { createPeriodicTask, type PeriodicTask } from '../shared/periodic-task.ts'
import type { Queryable } from './database.ts'

/** What {@link createVacuum} uses. */
export interface VacuumDeps {
  readonly database: Queryable
  readonly log: Logger
  /** How busy this process was since the last call, from 0 to 1. */
  readonly busy: () => number
}

/** Keeps the tables of the embedded database small and its plans good. */
export interface Vacuum extends PeriodicTask {
  /** Vacuums and analyzes the tables that have changed enough. */
  run(signal?: AbortSignal): Promise<void>
}

const everyMs = 60_000
const betweenTablesMs = 20
const quiet = 0.1
// Of a table: at rest a tenth is worth the time, at work it is put off until the table would suffer.
const shareAtRest = 0.1
const shareAtWork = 0.4
const leastRows = 500
const leastPages = 16

// How many rows have changed is forgotten at each start, so it also counts how many pages have come since the last time.
const changedTables = `
  select format('%I.%I', s.schemaname, s.relname) as name
  from pg_stat_user_tables s join pg_class c on c.oid = s.relid
  where c.relkind = 'r' and (
    greatest(s.n_dead_tup, s.n_mod_since_analyze, s.n_ins_since_vacuum) >= ${leastRows} + $1::float8 * greatest(c.reltuples, 0)
    or pg_relation_size(c.oid) / current_setting('block_size')::int >= ${leastPages} + (1 + $1::float8) * c.relpages
  ) order by pg_relation_size(c.oid)`

/**
 * What autovacuum does on a server. The embedded database has no process for it, so nothing would reuse the room of rows
 * that are gone, and plans would be made without statistics. It runs one statement at a time, and this process waits
 * with it, hence one table after the other, the small ones first, and when there is little to do.
 */
export const createVacuum = ({ database, log, busy }: VacuumDeps): Vacuum => {
  const run: Vacuum['run'] = async (signal) => {
    const share = busy() < quiet ? shareAtRest : shareAtWork
    for (const { name } of await database.query<{ name: string }>(changedTables, [share])) {
      if (signal?.aborted) return
      const startedMs = performance.now()
      await database.query(`vacuum (analyze) ${name}`)
      log.debug({ table: name, tookMs: Math.round(performance.now() - startedMs) }, 'A table was vacuumed.')
      await sleep(betweenTablesMs)
    }
  }

  const onError = (error: unknown) => log.warn({ err: error }, 'Vacuuming failed; it is tried again later.')
  return { ...createPeriodicTask({ everyMs, run, onError }), run }
}

/** Measures how busy the thread of the embedded database is, by its event loop. */
export const createBusyMeter = (utilizationOf: typeof performance.eventLoopUtilization): (() => number) => {
  let last = utilizationOf()
  return () => {
    const now = utilizationOf()
    const { utilization } = utilizationOf(now, last)
    last = now
    return utilization
  }
}
