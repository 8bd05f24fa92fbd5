// A prepared statement keeps its plan until the statistics of a table change. One planned while a table was small would scan
// all of it, and continue to do so while it grows; with these settings it uses an index from the start. Random reads cost about
// as much as sequential ones from memory and solid-state disks, and compiling a plan costs more than any statement here.
const settings = { enable_seqscan: 'off', random_page_cost: '1.1', jit: 'off' }

/**
 * The planner settings of each session. They are statements because the startup parameter `options` would replace the
 * operator's own, and poolers reject it. Source: https://www.postgresql.org/docs/current/runtime-config-query.html
 */
export const plannerStatements: string = Object.entries(settings)
  .map(([name, value]) => `set ${name} = ${value};`)
  .join(' ')

/**
 * Returns the condition that a column is one of the UUIDs of an array parameter. The planner sees neither the array nor its
 * length, so a prepared statement keeps one plan for any array.
 */
export const anyUuid = (column: string, parameter: `$${number}`): string => `${column} = any(array(select unnest(${parameter}::uuid[])))`

/** Returns an `in` condition with literal values, such as statuses. The values must not come from a request. */
export const inLiterals = (column: string, values: readonly string[]): string =>
  `${column} in (${values.map((value) => `'${value.replaceAll("'", "''")}'`).join(', ')})`
