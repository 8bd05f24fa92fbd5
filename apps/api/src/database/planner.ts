// A statement that is prepared keeps its plan until the statistics of a table change. One that was planned while a table was
// small would read all of it, and go on so while it grows; with these it takes the index from the beginning. Random reads cost
// about as much as others from memory and from solid-state disks, and compiling a plan costs more than any statement here.
const settings = { enable_seqscan: 'off', random_page_cost: '1.1', jit: 'off' }

/**
 * What the planner is told in each session. Not by the start-up parameter `options`, which would replace that of the operator's
 * environment, and which poolers refuse. Source: https://www.postgresql.org/docs/current/runtime-config-query.html
 */
export const plannerStatements: string = Object.entries(settings)
  .map(([name, value]) => `set ${name} = ${value};`)
  .join(' ')

/** Tells the planner on a new connection of a pool, before anything else is asked on it. */
export const onConnect = async (client: { query(text: string): Promise<unknown> }): Promise<void> => {
  await client.query(plannerStatements)
}

/**
 * Whether a column is one of the UUIDs of an array parameter. The planner sees neither the array nor its length, so the
 * plan for any array is as good as the one for this, and a prepared statement is not planned anew each time.
 */
export const isOneOf = (column: string, parameter: `$${number}`): string => `${column} = any(array(select unnest(${parameter}::uuid[])))`

/**
 * The status of a delivery that is found by its id. The planner does not see the column, so it cannot prefer the index of what
 * is open, which is short when it plans and may hold all of a backlog later.
 */
export const statusOf = (alias: string): string => `(${alias}.status || '')`
