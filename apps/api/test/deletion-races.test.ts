import { Client } from 'pg'
import { expect, inject, it } from 'vitest'
import { fromId, newUuid } from '../src/shared/ids.ts'
import { onDatabase } from './support/direct-database.ts'
import { createFlow } from './support/resources.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

const rounds = 6

interface Created {
  readonly server: TestServer
  readonly projectId: string
  readonly flowId: string
  /** The key and name of the project. */
  readonly key: string
}

const deletions: readonly [string, (created: Created) => Promise<{ readonly status: number }>][] = [
  ['by id', ({ server, projectId, flowId }) => server.request('DELETE', `/v1/settings/projects/${projectId}/flows/${flowId}`)],
  [
    'with a settings document',
    ({ server, key }) => server.request('POST', '/v1/settings/apply', { json: { project: { key, name: key }, flows: [], prune: true } }),
  ],
]

const openWithoutFlow = `select d.status, count(*)::int as count from deliveries d join delivery_jobs j on j.delivery_id = d.id
  where not exists (select 1 from flows f where f.id = d.flow_id) group by 1`

// PostgreSQL takes long to parse a large batch. The deletion can then commit after the statement that stores the batch has begun,
// but before the statement locks the project. The embedded database runs only one statement at a time.
it.runIf(inject('postgres')).each(deletions)(
  'deleting a flow %s cancels every delivery of batches that are stored at the same time (needs PostgreSQL)',
  async (_how, remove) => {
    await using server = await startTestServer({ env: { FLOWPOST_ROLE: 'api', FLOWPOST_RATE_LIMIT: 'off' } })
    for (let round = 0; round < rounds; round += 1) {
      const key = `p${round}`
      const { project, flow } = await createFlow(server, { key: 'f' })
      await server.request('PUT', `/v1/settings/projects/${project.id}`, { json: { name: key, key } })
      const item = { project_id: project.id, subject: 's', message: 'x'.repeat(30_000) }
      const notifications = Array.from({ length: 30 }, () => item)
      const sends = Array.from({ length: 4 }, () => server.request('POST', '/v1/notifications/batch', { json: { notifications } }))
      await new Promise((resolve) => setTimeout(resolve, 20 + round * 30))
      expect((await remove({ server, projectId: project.id, flowId: flow.id, key })).status).toBeLessThan(300)
      await Promise.all(sends)
      expect(await onDatabase(server.database, (query) => query(openWithoutFlow))).toEqual([])
    }
  },
)

const isBlocking = 'select 1 from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))'

it.runIf(inject('postgres'))('deleting a project removes the events of flows that change at the same time (needs PostgreSQL)', async () => {
  await using server = await startTestServer()
  const { project, flow } = await createFlow(server)
  const other = new Client({ connectionString: server.database.url })
  await other.connect()
  try {
    await other.query('begin')
    await other.query('select 1 from flows where id = $1 for no key update', [fromId('flow', flow.id)])
    const deleting = server.request('DELETE', `/v1/settings/projects/${project.id}`)
    await expect.poll(async () => (await other.query(isBlocking)).rowCount).toBe(1)
    const event = [newUuid(), fromId('project', project.id)]
    await other.query(
      `insert into events (id, position, user_id, project_id, type, created_at, data) values ($1, 1, 'alice', $2, 'flow.unhealthy', now(), '{}')`,
      event,
    )
    await other.query('commit')
    expect((await deleting).status).toBe(204)
  } finally {
    await other.end()
  }
  expect(await onDatabase(server.database, (query) => query('select type from events'))).toEqual([])
})

it.runIf(inject('postgres'))(
  'an erasure blocks the recipient in the remaining projects while a project is being deleted (needs PostgreSQL)',
  async () => {
    await using server = await startTestServer()
    const { project: deleted } = await createFlow(server)
    const { project } = await createFlow(server)
    const other = new Client({ connectionString: server.database.url })
    await other.connect()
    try {
      await other.query('begin')
      await other.query('delete from projects where id = $1', [fromId('project', deleted.id)])
      const requested = server.request('POST', '/v1/erasures', { json: { target: 'eve@example.com', block: true } })
      await expect.poll(async () => (await other.query(isBlocking)).rowCount).toBe(1)
      await other.query('commit')
      expect(await requested).toMatchObject({ status: 202 })
    } finally {
      await other.end()
    }
    const { json } = await server.request('GET', `/v1/settings/projects/${project.id}/suppressions`)
    expect(json.data).toMatchObject([{ reason: 'erasure' }])
  },
)
