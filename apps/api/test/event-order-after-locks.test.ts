import { Client } from 'pg'
import { expect, inject, it } from 'vitest'
import { fromId } from '../src/shared/ids.ts'
import { createEmailProvider } from './support/email-provider.ts'
import { createEndpoint, eventEnv, readFeed } from './support/event-endpoints.ts'
import { addFlow, createFlow, send } from './support/resources.ts'
import { startTestServer } from './support/test-server.ts'

/** Creates a provider that is busy for the target `busy`, and sends to other targets once `released` resolves. */
const createProvider = (released: Promise<void>) =>
  createEmailProvider('releasable', async (target) => {
    if (target === 'busy') throw new Error('busy')
    await released
  })

const isBlocking = 'select 1 from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))'

// The deletion gets its transaction id, and then waits for the lock on the first notification. Meanwhile, another transaction with
// a higher id records a delivery of the second notification.
it.runIf(inject('postgres'))(
  'the events of a delivery precede the event of its notification although a transaction waited for a lock (needs PostgreSQL)',
  async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    await using server = await startTestServer({
      providers: [createProvider(released)],
      retryPolicy: { initialWaitMs: 3_600_000, maxWaitMs: 3_600_000, budgetMs: 86_400_000 },
      env: { ...eventEnv, FLOWPOST_CAPTURE: 'off', FLOWPOST_ENCRYPTION_KEY: `k1:${Buffer.alloc(32, 1).toString('base64')}` },
    })
    const { project, flow } = await createFlow(server, { source_type: 'releasable', target: 'busy' })
    const base = `/v1/settings/projects/${project.id}`
    await server.request('PUT', `${base}/integrations/releasable`, { json: { settings: {}, secrets: {} } })
    await createEndpoint(server, project.id)
    const first = await send(server, project.id)
    await addFlow(server, project.id, { source_type: 'releasable', target: 'free' })
    const second = await send(server, project.id)
    const statusesOf = async ({ id }: { readonly id: string }): Promise<string[]> => {
      const { json } = await server.request('GET', `/v1/notifications/${id}`)
      return json.deliveries.map(({ status }: { status: string }) => status).sort()
    }
    await expect.poll(() => statusesOf(first)).toEqual(['retrying'])
    await expect.poll(() => statusesOf(second)).toEqual(['retrying', 'sending'])

    const other = new Client({ connectionString: server.database.url })
    await other.connect()
    try {
      await other.query('begin')
      await other.query('select 1 from notifications where id = $1 for no key update', [fromId('notification', first.id)])
      const deleting = server.request('DELETE', `${base}/flows/${flow.id}`)
      await expect.poll(async () => (await other.query(isBlocking)).rowCount).toBe(1)
      release()
      await expect.poll(() => statusesOf(second)).toEqual(['retrying', 'sent'])
      await other.query('commit')
      expect((await deleting).status).toBe(204)
    } finally {
      await other.end()
    }
    const events = await readFeed(server, `project_id=${project.id}`, {}, 5)
    const ofSecond = events.filter(({ data }) => data.id === second.id || data.notification_id === second.id)
    expect(ofSecond.map(({ type }) => type)).toEqual(['delivery.sent', 'delivery.canceled', 'notification.settled'])
  },
)
