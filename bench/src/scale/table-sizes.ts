import type { Queryable } from '../../../apps/api/src/database/database.ts'

/** The size and maintenance statistics of a table. */
export interface TableSize {
  readonly name: string
  readonly tableBytes: number
  readonly indexBytes: number
  readonly live: number
  readonly dead: number
  readonly updates: number
  /** The number of updates that changed no index (heap-only tuples). */
  readonly hotUpdates: number
  readonly vacuums: number
}

const sizes = `
  select s.relname as name, pg_table_size(s.relid)::float8 as "tableBytes", pg_indexes_size(s.relid)::float8 as "indexBytes",
    s.n_live_tup::float8 as live, s.n_dead_tup::float8 as dead, s.n_tup_upd::float8 as updates, s.n_tup_hot_upd::float8 as "hotUpdates",
    s.autovacuum_count::float8 as vacuums
  from pg_stat_user_tables s join pg_class c on c.oid = s.relid
  where c.relkind = 'r' and s.n_tup_ins + s.n_tup_upd > 1000 and s.relname not in ('projects', 'api_keys') order by 1`

/** Returns the sizes of the tables with more than 1,000 inserts and updates, except `projects` and `api_keys`. */
export const readSizes = (on: Queryable): Promise<TableSize[]> => on.query<TableSize>(sizes)

/** Rewrites a table to its minimum size. */
export const rebuild = async (on: Queryable, { name }: TableSize): Promise<void> => {
  const [row] = await on.query<{ relation: string }>(
    'select relid::regclass::text as relation from pg_stat_user_tables where relname = $1',
    [name],
  )
  if (row) await on.query(`vacuum full ${row.relation}`)
}
