import { createFlowpost } from '@flowpost/client'
import { apiKey } from '../processes/flowpost-server.ts'
import { withClient } from './bench-databases.ts'
import { type SeededProject, seedProject } from './seed-projects.ts'

/** The settings to read and write. */
export interface SeededSettings {
  /** A project with 100 flows. */
  readonly hundred: SeededProject
  /** A project with more flows than the server caches. */
  readonly many: { readonly id: string; readonly flowIds: readonly string[] }
  /** The UUIDs of both projects and of the flows of `many`, as the database stores them. `flows` has the same order as `many.flowIds`. */
  readonly uuids: { readonly hundred: string; readonly many: string; readonly flows: readonly string[] }
}

const pageSize = 1000

/** Copies the only flow of a project, with all columns, until the project has `$2` flows. */
const multiplyFlow = `insert into flows
  select (jsonb_populate_record(f, jsonb_build_object('id', gen_random_uuid()))).*
  from flows f join projects p on p.id = f.project_id, generate_series(2, $2) where p.name = $1`

/** Creates the projects through the API. Copies flows with SQL, which takes seconds instead of minutes. */
export const seedSettings = async (port: number, databaseUrl: string, flowCount: number): Promise<SeededSettings> => {
  const hundred = await seedProject(port, 'a hundred flows', 100)
  const many = await seedProject(port, 'many flows', 1)
  const uuids = await withClient(databaseUrl, async (client) => {
    await client.query(multiplyFlow, ['many flows', flowCount])
    const ids = async (text: string, name: string) => (await client.query<{ id: string }>(text, [name])).rows.map(({ id }) => id)
    const project = async (name: string) => (await ids('select id from projects where name = $1', name))[0] as string
    return {
      hundred: await project('a hundred flows'),
      many: await project('many flows'),
      flows: await ids('select f.id from flows f join projects p on p.id = f.project_id where p.name = $1 order by f.id', 'many flows'),
    }
  })
  await using flowpost = createFlowpost({ baseUrl: `http://127.0.0.1:${port}`, apiKey })
  const flowIds: string[] = []
  // The API lists flows in the order of their UUIDs, so each flow has the same index here as in `uuids.flows`.
  for await (const { id } of flowpost.flows.list(many.id, { limit: pageSize })) flowIds.push(id)
  if (flowIds.length !== uuids.flows.length) throw new Error(`The API lists ${flowIds.length} of ${uuids.flows.length} flows.`)
  return { hundred, many: { id: many.id, flowIds }, uuids }
}

/**
 * Returns the integers from 0 to `count - 1`, shuffled, so that requests do not read a table in its stored order. The
 * order is the same in every run.
 */
export const shuffled = (count: number): number[] => {
  const order = Array.from({ length: count }, (_, index) => index)
  let state = 1
  for (let last = count - 1; last > 0; last -= 1) {
    // A linear congruential generator, with the constants from the book Numerical Recipes.
    state = (state * 1664525 + 1013904223) >>> 0
    const other = Math.floor((state / 2 ** 32) * (last + 1))
    ;[order[last], order[other]] = [order[other] as number, order[last] as number]
  }
  return order
}
