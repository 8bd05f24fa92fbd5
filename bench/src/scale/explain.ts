import type { Client } from 'pg'
import type { NamedStatement, Queryable } from '../../../apps/api/src/database/database.ts'
import { withClient } from '../database/bench-databases.ts'

/** A set of SQL statements to explain: its title, and a function that runs the statements on the database `on`. */
export type Explained = readonly [title: string, run: (on: Queryable) => Promise<unknown>]

const changes = /\b(insert into|update|delete from)\b/

/** Formats a value as an argument of the SQL command `execute`. */
const literal = (client: Client, value: unknown): string => {
  if (value === null || value === undefined) return 'null'
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (value instanceof Date) return client.escapeLiteral(value.toISOString())
  if (Array.isArray(value)) return client.escapeLiteral(`{${value.map((item) => `"${item}"`).join()}}`)
  return client.escapeLiteral(String(value))
}

/**
 * Runs a statement, rolls it back, and returns its plan. As on the server, a named statement gets a generic plan, and any
 * other statement gets a custom plan.
 */
const explain = async (client: Client, statement: string | NamedStatement, values: readonly unknown[]): Promise<string[]> => {
  const named = typeof statement !== 'string'
  await client.query('begin')
  try {
    // PostgreSQL plans an unnamed statement at every execution. For a named statement, it may use a generic plan after five
    // executions.
    await client.query(`set local plan_cache_mode = ${named ? 'force_generic_plan' : 'force_custom_plan'}`)
    await client.query(`prepare explained as ${named ? statement.text : statement}`)
    const execute = `execute explained${values.length > 0 ? `(${values.map((value) => literal(client, value)).join(', ')})` : ''}`
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain (analyze, buffers, costs off, timing off) ${execute}`)
    return rows.map((row) => row['QUERY PLAN'])
  } finally {
    await client.query('rollback')
    await client.query('deallocate all')
  }
}

/** The plan of a statement. */
export interface Plan {
  readonly title: string
  readonly lines: readonly string[]
  /**
   * The number of pages that the statement reads, whether from memory or from disk. Other work on the machine does not
   * affect this number.
   */
  readonly pages: number
}

/** Returns the number of pages in the first `Buffers` line of a plan. */
export const pagesOf = (lines: readonly string[]): number => {
  const buffers = lines.find((line) => line.trim().startsWith('Buffers: shared'))?.match(/shared(?: hit=(\d+))?(?: read=(\d+))?/)
  return Number(buffers?.[1] ?? 0) + Number(buffers?.[2] ?? 0)
}

/** Returns the plans of all statements in `parts`. Each statement runs once before its plan is recorded. */
export const explainAll = (databaseUrl: string, parts: readonly Explained[]): Promise<Plan[]> =>
  withClient(databaseUrl, async (client) => {
    const found: Plan[] = []
    for (const [title, run] of parts) {
      const on: Queryable = {
        query: async <Row extends object>(statement: string | NamedStatement, values: readonly unknown[] = []) => {
          await explain(client, statement, values)
          const lines = await explain(client, statement, values)
          const again = found.filter((plan) => plan.title.split(',')[0] === title).length
          found.push({ title: again === 0 ? title : `${title}, statement ${again + 1}`, lines, pages: pagesOf(lines) })
          const text = typeof statement === 'string' ? statement : statement.text
          return changes.test(text) ? [] : (await client.query<Row>(text, [...values])).rows
        },
      }
      await run(on)
    }
    return found
  })
