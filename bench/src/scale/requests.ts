import { toId, type Uuid } from '../../../apps/api/src/shared/ids.ts'
import { withClient } from '../database/bench-databases.ts'
import { type SeededProjects, userId } from '../database/seed-projects.ts'
import type { LoadRequest } from '../load/load-job.ts'
import { message } from '../scenarios/context.ts'

/**
 * The projects and notifications in the requests to one database. They are read from that database, because the full and
 * the empty database contain different ids.
 */
interface Subjects {
  readonly projects: readonly { readonly project: string; readonly flow: string }[]
  readonly notifications: readonly string[]
  /** The time at which the oldest of the notifications was accepted. */
  readonly oldestAt: Date
}

// The number of different projects and of different notifications in the requests. With this many, the requests do not all
// read the same database page.
const subjects = 200

const readSubjects = (databaseUrl: string): Promise<Subjects> =>
  withClient(databaseUrl, async (client) => {
    const projects = await client.query<{ project_id: Uuid; flow_id: Uuid }>(
      `select p.id as project_id, f.id as flow_id from projects p join flows f on f.project_id = p.id
       where p.user_id = $1 and p.name like 'project %' order by md5(p.name) limit ${subjects}`,
      [userId],
    )
    const notifications = await client.query<{ id: Uuid; created_at: Date }>(
      `select id, created_at from notifications where user_id = $1 order by id desc limit ${subjects}`,
      [userId],
    )
    return {
      projects: projects.rows.map((row) => ({ project: toId('project', row.project_id), flow: toId('flow', row.flow_id) })),
      notifications: notifications.rows.map(({ id }) => toId('notification', id)),
      oldestAt: notifications.rows.at(-1)?.created_at ?? new Date(),
    }
  })

/** Returns the projects that were created through the API, in this run or in an earlier one. */
export const findProjects = (databaseUrl: string): Promise<SeededProjects> =>
  withClient(databaseUrl, async (client) => {
    const find = async (name: string) => {
      const { rows } = await client.query<{ project_id: Uuid; id: Uuid; target: string }>(
        `select f.project_id, f.id, f.target from flows f join projects p on p.id = f.project_id
         where p.user_id = $1 and p.name = $2 order by f.id`,
        [userId, name],
      )
      const flows = rows.map(({ id, target }) => ({ id: toId('flow', id), target }))
      return { id: toId('project', rows[0]?.project_id ?? ''), flows }
    }
    return { one: await find('one flow'), three: await find('three flows') }
  })

const get = (path: string): LoadRequest => ({ method: 'GET', path })

const dayMs = 86_400_000
// The page size of searches. It is small, so that even a pair of filters finds a full page. Both databases then return equally
// long pages.
const found = 10

/** Returns a search for each of the filters and each pair of them. */
const searches = (filters: Readonly<Record<string, string>>): Record<string, LoadRequest[]> => {
  const given = Object.entries(filters).map(([name, value]) => ({ name, query: `&${new URLSearchParams({ [name]: value })}` }))
  const pairs = given.flatMap((one, at) =>
    given.slice(at + 1).map((other) => ({ name: `${one.name} and ${other.name}`, query: one.query + other.query })),
  )
  return Object.fromEntries(
    [...given, ...pairs].map(({ name, query }) => [`Search by ${name}`, [get(`/v1/notifications?limit=${found}${query}`)]]),
  )
}

/** Returns the requests to measure, keyed by title. */
export const requestsOf = async (databaseUrl: string, { one, three }: SeededProjects): Promise<Readonly<Record<string, LoadRequest[]>>> => {
  const { projects, notifications, oldestAt } = await readSubjects(databaseUrl)
  const list = (filter: string) => [get(`/v1/notifications?limit=100${filter}`)]
  return {
    'GET 200 projects in turn': projects.map(({ project }) => get(`/v1/settings/projects/${project}`)),
    'GET 200 flows in turn': projects.map(({ project, flow }) => get(`/v1/settings/projects/${project}/flows/${flow}`)),
    'GET 200 notifications in turn': notifications.map((id) => get(`/v1/notifications/${id}`)),
    'List 100 projects': [get('/v1/settings/projects?limit=100')],
    'List the flows of 200 projects in turn': projects.map(({ project }) => get(`/v1/settings/projects/${project}/flows`)),
    'List 100 notifications': list(''),
    'List 100 notifications of a project': list(`&project_id=${three.id}`),
    'List 100 notifications of a flow': list(`&flow_id=${three.flows[1]?.id}`),
    'List notifications of a flow that has sent nothing': projects.map(({ flow }) => get(`/v1/notifications?flow_id=${flow}`)),
    'List notifications of a project that has sent nothing': projects.map(({ project }) => get(`/v1/notifications?project_id=${project}`)),
    'Search: a reference that nobody uses': list('&reference=order-1042'),
    'Search: a recipient without deliveries': list('&target=nobody@example.com'),
    'Search: a provider that is not used': list('&source_type=slack'),
    'Search: an unused failure code': list('&failure_code=550'),
    'Search: a recipient and an unused failure code': list('&target=ops@example.com&failure_code=550'),
    ...searches({
      project_id: three.id,
      flow_id: three.flows[1]?.id ?? '',
      status: 'failed',
      reference: 'daily-report',
      target: 'ops@example.com',
      source_type: 'smtp',
      failure_kind: 'provider',
      failure_code: '451',
      created_after: new Date(Date.now() - dayMs).toISOString(),
      created_before: oldestAt.toISOString(),
    }),
    'List canceled notifications': [get('/v1/notifications?limit=5&status=canceled')],
    'List canceled notifications of a project': [get(`/v1/notifications?limit=3&status=canceled&project_id=${three.id}`)],
    'List notifications of a flow, filtered by status': list(`&status=sending&flow_id=${three.flows[1]?.id}`),
    'Accept a notification': [{ method: 'POST', path: '/v1/notifications', body: JSON.stringify({ project_id: one.id, ...message }) }],
  }
}
