import type { AcceptTarget } from '../baselines/accept-statement.ts'
import type { Cleanup } from '../processes/cleanup.ts'
import { startFlowpost } from '../processes/flowpost-server.ts'
import type { PreparedPostgres } from '../scenarios/context.ts'
import { openBenchDatabases, withClient } from './bench-databases.ts'
import { seedProjects, userId } from './seed-projects.ts'
import { seedSettings } from './seed-settings.ts'

const acceptTarget = (databaseUrl: string, projectName: string): Promise<AcceptTarget> =>
  withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ project_id: string; id: string; target: string }>(
      'select f.project_id, f.id, f.target from flows f join projects p on p.id = f.project_id where p.name = $1 order by f.id',
      [projectName],
    )
    return { userId, projectId: rows[0]?.project_id ?? '', flows: rows.map(({ id, target }) => ({ id, target })) }
  })

/**
 * Creates the template database, from which all other databases are copied. Flowpost creates the tables. API calls
 * create the projects and flows, except for the flows that {@link seedSettings} copies with SQL.
 */
export const preparePostgres = async (serverUrl: string, flowCount: number, defer: Cleanup['defer']): Promise<PreparedPostgres> => {
  const databases = await openBenchDatabases(serverUrl)
  defer(databases.dropAll)
  const template = await databases.create('template')
  const server = await startFlowpost({ DATABASE_URL: template, FLOWPOST_ROLE: 'api' })
  defer(server.stop)
  const seeded = { projects: await seedProjects(server.port), settings: await seedSettings(server.port, template, flowCount) }
  // A database with open connections cannot be copied.
  await server.stop()
  await withClient(template, (client) => client.query('vacuum analyze'))
  const targets = { one: await acceptTarget(template, 'one flow'), three: await acceptTarget(template, 'three flows') }
  return { databases, template, ...seeded, targets }
}
