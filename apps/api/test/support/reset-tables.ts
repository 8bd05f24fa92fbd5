import type { Queryable } from '../../src/database/database.ts'

/**
 * Removes the deleted rows and the statistics that earlier tests have left in tables. Otherwise, they can change which of two
 * small indexes the planner chooses.
 */
export const resetTables = async (query: Queryable['query'], tables: readonly string[]): Promise<void> => {
  for (const table of tables) {
    await query(`vacuum full ${table}`)
    await query(`delete from pg_statistic where starelid = '${table}'::regclass`)
    await query(
      `update pg_class set relpages = 0, reltuples = -1
       where oid = '${table}'::regclass or oid in (select indexrelid from pg_index where indrelid = '${table}'::regclass)`,
    )
  }
}
