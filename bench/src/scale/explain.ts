import type { Client } from 'pg'
import type { NamedStatement, Queryable } from '../../../apps/api/src/database/database.ts'
import { withClient } from '../database/bench-databases.ts'

/** What a plan is taken of: a part of the server that runs statements. */
export type Explained = readonly [title: string, run: (on: Queryable) => Promise<unknown>]

const changes = /\b(insert into|update|delete from)\b/

/** A value as `execute` takes it. */
const literal = (client: Client, value: unknown): string => {
  if (value === null || value === undefined) return 'null'
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (value instanceof Date) return client.escapeLiteral(value.toISOString())
  if (Array.isArray(value)) return client.escapeLiteral(`{${value.map((each) => `"${each}"`).join()}}`)
  return client.escapeLiteral(String(value))
}

/** Plans a statement as the server has it planned, runs it, and undoes what it has changed. */
const explain = async (client: Client, statement: string | NamedStatement, values: readonly unknown[]): Promise<string[]> => {
  const named = typeof statement !== 'string'
  await client.query('begin')
  try {
    // After five runs the server's connections may have the plan of any value for a named statement; others are planned each time.
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

/** How a statement was run. */
export interface Plan {
  readonly title: string
  readonly lines: readonly string[]
  /** Pages of tables and indexes that it looked at, in memory or not: that does not depend on what else the machine does. */
  readonly pages: number
}

/** The pages of a plan, as its first line on them says. */
export const pagesOf = (lines: readonly string[]): number => {
  const buffers = lines.find((line) => line.trim().startsWith('Buffers: shared'))?.match(/shared(?: hit=(\d+))?(?: read=(\d+))?/)
  return Number(buffers?.[1] ?? 0) + Number(buffers?.[2] ?? 0)
}

/** The plans of the statements that parts of the server run, each of which has run once before. */
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
