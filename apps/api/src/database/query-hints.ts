// The reasons for these planner settings:
// - `enable_seqscan`: a prepared statement keeps its plan until a table's statistics change. A plan that was made for a small
//   table would still scan the whole table when the table has grown. With `off`, statements use an index from the start.
// - `random_page_cost`: in memory and on solid-state disks, random reads cost about as much as sequential reads.
// - `jit` and `max_parallel_workers_per_gather`: compiling a plan or starting parallel workers would take longer than running
//   any of Flowpost's statements.
const settings = { enable_seqscan: 'off', random_page_cost: '1.1', jit: 'off', max_parallel_workers_per_gather: '0' }

/**
 * The statements that set each session's planner settings. The startup parameter `options` is not used, because poolers
 * reject it, and because it would replace the operator's own value. Source:
 * https://www.postgresql.org/docs/current/runtime-config-query.html
 */
export const plannerStatements: string = Object.entries(settings)
  .map(([name, value]) => `set ${name} = ${value};`)
  .join(' ')

/**
 * Returns an SQL condition that is true if the column equals one of the UUIDs in an array parameter. The planner sees
 * neither the array nor its length, so a prepared statement keeps one plan for any array.
 */
export const anyUuid = (column: string, parameter: `$${number}`): string => `${column} = any(array(select unnest(${parameter}::uuid[])))`

/** Returns an `in` condition with literal values, such as statuses. The values must not come from a request. */
export const inLiterals = (column: string, values: readonly string[]): string =>
  `${column} in (${values.map((value) => `'${value.replaceAll("'", "''")}'`).join(', ')})`
