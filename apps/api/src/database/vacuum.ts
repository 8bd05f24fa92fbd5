import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { createPeriodicTask, type PeriodicTask } from '../shared/periodic-task.ts'
import type { Queryable } from './database.ts'

/** The dependencies of {@link createVacuum}. */
export interface VacuumDeps {
  readonly database: Queryable
  readonly log: Logger
  /** Returns the utilization of the database thread since the last call, from 0 to 1. */
  readonly busy: () => number
}

/** Vacuums and analyzes the embedded database, which has no autovacuum. */
export interface Vacuum extends PeriodicTask {
  /** Vacuums and analyzes every table in which enough rows have changed. */
  run(signal?: AbortSignal): Promise<void>
}

const everyMs = 60_000
const betweenTablesMs = 20
const idleBelow = 0.1
// A table is vacuumed after this share of its rows has changed. Under load, the share is higher, because a vacuum delays all
// statements.
const shareWhenIdle = 0.1
const shareUnderLoad = 0.4
const minRows = 500
const minPages = 16

// PGlite loses its counts of changed rows at each start, so the query also compares each table's page count with the
// page count at the last vacuum.
const changedTables = `
  select format('%I.%I', s.schemaname, s.relname) as name
  from pg_stat_user_tables s join pg_class c on c.oid = s.relid
  where c.relkind = 'r' and (
    greatest(s.n_dead_tup, s.n_mod_since_analyze, s.n_ins_since_vacuum) >= ${minRows} + $1::float8 * greatest(c.reltuples, 0)
    or pg_relation_size(c.oid) / current_setting('block_size')::int >= ${minPages} + (1 + $1::float8) * c.relpages
  ) order by pg_relation_size(c.oid)`

/**
 * Creates the task that vacuums the embedded database. It replaces autovacuum, which needs server processes that PGlite
 * does not have. Without vacuuming, the space that deleted rows occupy is not reused, and the planner has no
 * statistics. PGlite runs one statement at a time, so a vacuum delays all other statements. Tables are therefore
 * vacuumed one by one, small ones first, with pauses.
 */
export const createVacuum = ({ database, log, busy }: VacuumDeps): Vacuum => {
  const run: Vacuum['run'] = async (signal) => {
    const share = busy() < idleBelow ? shareWhenIdle : shareUnderLoad
    for (const { name } of await database.query<{ name: string }>(changedTables, [share])) {
      if (signal?.aborted) return
      const startedMs = performance.now()
      await database.query(`vacuum (analyze) ${name}`)
      log.debug({ table: name, tookMs: Math.round(performance.now() - startedMs) }, 'Vacuumed a table.')
      await sleep(betweenTablesMs)
    }
  }

  const onError = (error: unknown) => log.warn({ err: error }, 'Could not vacuum the embedded database; retrying later.')
  return { ...createPeriodicTask({ everyMs, run, onError }), run }
}

/** Creates a function that returns a thread's event loop utilization since the last call, from 0 to 1. */
export const createBusyMeter = (utilizationOf: typeof performance.eventLoopUtilization): (() => number) => {
  let last = utilizationOf()
  return () => {
    const now = utilizationOf()
    const { utilization } = utilizationOf(now, last)
    last = now
    return utilization
  }
}
