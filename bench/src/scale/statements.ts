import type { Principal } from '../../../apps/api/src/auth/principal.ts'
import type { Queryable } from '../../../apps/api/src/database/database.ts'
import { startAttempts } from '../../../apps/api/src/features/delivery/attempts/start-attempts.ts'
import type { Job } from '../../../apps/api/src/features/delivery/queue/job.ts'
import { createQueue } from '../../../apps/api/src/features/delivery/queue/queue.ts'
import { createRecipients } from '../../../apps/api/src/features/delivery/recipients/recipients.ts'
import { createRetention } from '../../../apps/api/src/features/delivery/retention.ts'
import { findFlows, listFlows } from '../../../apps/api/src/features/flows/flow.queries.ts'
import { listNotifications } from '../../../apps/api/src/features/notifications/list-notifications.ts'
import { getNotification } from '../../../apps/api/src/features/notifications/notification.queries.ts'
import { listProjects } from '../../../apps/api/src/features/projects/project.queries.ts'
import { createLog } from '../../../apps/api/src/log.ts'
import { systemClock } from '../../../apps/api/src/shared/clock.ts'
import { toId, type Uuid } from '../../../apps/api/src/shared/ids.ts'
import { withClient } from '../database/bench-databases.ts'
import { userId } from '../database/seed-projects.ts'
import type { Explained } from './explain.ts'
import { addOld, oldMs } from './fill.ts'

const principal: Principal = { userId, scopes: [], mode: 'live', credentialId: 'bench', rateLimitKey: 'bench' }
const log = createLog({ level: 'error' })
const pageSize = 101
/** The number of old notifications that retention deletes: one full batch. */
const oldRows = 500

interface Ids {
  readonly project: Uuid
  readonly flow: Uuid
  readonly unusedFlow: Uuid
  readonly notification: Uuid
  readonly jobs: readonly Job[]
}

const readIds = (databaseUrl: string): Promise<Ids> =>
  withClient(databaseUrl, async (client) => {
    const readId = async (text: string) => (await client.query<{ id: Uuid }>(text, [userId])).rows[0]?.id ?? ''
    const flow = (name: string) =>
      readId(`select f.id from flows f join projects p on p.id = f.project_id where p.user_id = $1 and p.name ${name} limit 1`)
    return {
      project: await readId(`select id from projects where user_id = $1 and name = 'three flows'`),
      flow: await flow(`= 'three flows'`),
      unusedFlow: await flow(`like 'project %'`),
      notification: await readId('select id from notifications where user_id = $1 order by id desc limit 1'),
      jobs: (await client.query<Job>(jobs)).rows,
    }
  })

const jobs = `select delivery_id as "deliveryId", user_id as "userId", project_id as "projectId", source_type as "sourceType", claim, deferrals
  from delivery_jobs limit 50`

// The digest key is not the server's, so searches by recipient find nothing. PostgreSQL uses the same query plans as for a
// recipient with deliveries.
const recipients = createRecipients(Buffer.alloc(32, 1), { get: () => undefined, ids: [] })

const list = (filters: object) => (on: Queryable) =>
  listNotifications(on, { recipients }, principal, filters, { count: pageSize, before: undefined })

/** Runs retention, which deletes only the notifications that {@link addOld} added. */
const retention = (on: Queryable) =>
  createRetention({
    database: on as never,
    clock: systemClock,
    log,
    contentMs: oldMs,
    logMs: oldMs,
    eventsMs: 0,
    historyMs: 400 * 24 * 3_600_000,
  }).run()

/**
 * Returns the server operations whose SQL statements may become slower as the database grows. The operations use ids from the
 * database at `databaseUrl`. First adds old notifications to that database, so that the operation "Retention" deletes something.
 */
export const statementsOf = async (databaseUrl: string): Promise<Explained[]> => {
  await addOld(databaseUrl, oldRows, oldMs)
  const ids = await readIds(databaseUrl)
  const [project_id, flow_id] = [toId('project', ids.project), toId('flow', ids.flow)]
  return [
    ['A flow', (on) => findFlows(on, [{ userId, projectId: ids.project, flowId: ids.flow }])],
    ['The flows of a project', (on) => listFlows(on, principal, project_id, pageSize, undefined)],
    ['The projects', (on) => listProjects(on, principal, pageSize, undefined)],
    ['A notification', (on) => getNotification(on, principal, toId('notification', ids.notification))],
    ['The notifications', list({})],
    ['The notifications of a project', list({ project_id })],
    ['The notifications of a flow', list({ flow_id })],
    ['The notifications of a flow that has sent nothing', list({ flow_id: toId('flow', ids.unusedFlow) })],
    ['The failed notifications', list({ status: 'failed' })],
    ['The canceled notifications of a project', list({ status: 'canceled', project_id })],
    ['Search: a reference', list({ reference: 'order-1042' })],
    ['Search: a recipient', list({ target: 'ops@example.com' })],
    ['Search: a provider that is not used', list({ source_type: 'slack' })],
    ['Search: a kind of failure', list({ failure_kind: 'provider' })],
    ['Search: a failure code', list({ failure_code: '451' })],
    ['Search: a recipient and a failure code', list({ target: 'ops@example.com', failure_code: '451' })],
    ['Search: a recipient and a status', list({ target: 'ops@example.com', status: 'failed' })],
    ['Search: a failure code and a provider', list({ failure_code: '451', source_type: 'smtp' })],
    ['Claiming 50 jobs', (on) => createQueue({ database: on as never, log }).claim(50, { projectIds: [], userIds: [] })],
    ['Starting 50 attempts', (on) => startAttempts(on, systemClock, ids.jobs, 1)],
    ['Retention', retention],
  ]
}
