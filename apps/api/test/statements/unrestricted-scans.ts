import type { Database, Queryable, Transaction } from '../../src/database/database.ts'

interface PlanNode {
  readonly 'Node Type': string
  readonly Schema?: string
  readonly 'Relation Name'?: string
  readonly Alias?: string
  readonly 'Index Cond'?: string
  readonly Filter?: string
  readonly Plans?: readonly PlanNode[]
}

/** For each table, the columns whose values belong to a single user: `user_id` and the ids of resources. */
type OwnedColumns = ReadonlyMap<string, ReadonlySet<string>>

const readOwnedColumns = async (on: Queryable): Promise<OwnedColumns> => {
  const rows = await on.query<{ table: string; column: string }>(
    `select table_name::text as table, column_name::text as column from information_schema.columns
     where table_schema = 'public' and (data_type = 'uuid' or column_name = 'user_id')`,
  )
  return new Map([...Map.groupBy(rows, ({ table }) => table)].map(([table, owned]) => [table, new Set(owned.map(({ column }) => column))]))
}

/** Splits an expression at each separator that is outside parentheses and string literals. */
const split = (expression: string, separator: string): string[] => {
  const parts: string[] = []
  let [depth, start, isLiteral] = [0, 0, false]
  for (let at = 0; at < expression.length; at += 1) {
    const character = expression[at]
    if (character === "'") isLiteral = !isLiteral
    if (isLiteral) continue
    if (character === '(') depth += 1
    if (character === ')') depth -= 1
    if (depth > 0 || !expression.startsWith(separator, at)) continue
    parts.push(expression.slice(start, at))
    start = at + separator.length
  }
  return [...parts, expression.slice(start)]
}

const withoutParentheses = (expression: string): string => {
  const isEnclosed = expression.startsWith('(') && split(expression, ')').indexOf('') === 1
  return isEnclosed ? withoutParentheses(expression.slice(1, -1)) : expression
}

/** Returns the conditions that must all be true for an expression to be true. */
const conditionsOf = (expression: string): string[] => {
  const parts = split(withoutParentheses(expression), ' AND ')
  return parts.length === 1 ? parts : parts.flatMap(conditionsOf)
}

/**
 * Returns whether a scan reads only rows of given users or with given ids, because of a condition such as `user_id = $1`. The
 * condition must compare a column in `owned` with a value that this scan has not read. A value from another scan is allowed,
 * because that scan is checked separately.
 */
const isRestricted = (scan: PlanNode, owned: ReadonlySet<string>): boolean =>
  [scan['Index Cond'], scan.Filter]
    .flatMap((expression) => conditionsOf(expression ?? ''))
    .some((condition) => {
      const sides = split(condition, ' = ').map(withoutParentheses)
      const prefix = `${scan.Alias}.`
      return (
        sides.length === 2 &&
        sides.some((side, at) => {
          const other = sides[1 - at] ?? ''
          return side.startsWith(prefix) && owned.has(side.slice(prefix.length)) && !other.includes(prefix)
        })
      )
    })

const scansOf = (node: PlanNode): PlanNode[] => [
  ...(node['Node Type'].endsWith('Scan') && node.Schema === 'public' ? [node] : []),
  ...(node.Plans ?? []).flatMap(scansOf),
]

// In the plan of a nested loop join, the scan has the join condition. Other join plans would read the whole table first.
const planner = `set local plan_cache_mode = force_generic_plan; set local enable_seqscan = off; set local enable_bitmapscan = off;
  set local enable_hashjoin = off; set local enable_mergejoin = off; set local enable_memoize = off; set local enable_material = off`

const planOf = async (session: Transaction, text: string): Promise<PlanNode> => {
  await session.query(`prepare inspected as ${text}`)
  const parameters = new Set(text.match(/\$\d+/g)).size
  const values = parameters === 0 ? '' : `(${Array.from({ length: parameters }, () => 'null').join()})`
  const [row] = await session.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `explain (format json, verbose, costs off) execute inspected${values}`,
  )
  await session.query('deallocate inspected')
  if (!row) throw new Error(`PostgreSQL returned no plan for: ${text}`)
  return row['QUERY PLAN'][0].Plan
}

/**
 * Creates a function that returns the tables from which a statement reads rows without restricting them to given users or ids.
 * The function inspects PostgreSQL's plan and does not execute the statement.
 */
export const createScanInspection = async (database: Database): Promise<(text: string) => Promise<string[]>> => {
  const ownedColumns = await readOwnedColumns(database)
  return (text) =>
    database.transaction(async (session) => {
      for (const setting of planner.split(';')) await session.query(setting)
      const scans = scansOf(await planOf(session, text))
      // A table without a user id or resource ids, such as `flowpost_identity`, has no user data.
      const unrestricted = scans.filter((scan) => {
        const owned = ownedColumns.get(scan['Relation Name'] ?? '')
        return owned && !isRestricted(scan, owned)
      })
      return [...new Set(unrestricted.map((scan) => scan['Relation Name'] ?? ''))].sort()
    })
}
