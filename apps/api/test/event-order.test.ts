import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { onDatabase } from './support/direct-database.ts'
import { createEndpoint, eventEnv, readFeed } from './support/event-endpoints.ts'
import { createFlow, readCompleted, send } from './support/resources.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

const env = { ...eventEnv, FLOWPOST_CAPTURE: 'on' }
const typesOf = (events: readonly { type: string }[]) => events.map(({ type }) => type)

let server: TestServer

beforeAll(async () => {
  server = await startTestServer({ env })
})
afterAll(() => server[Symbol.asyncDispose]())

describe.runIf(inject('postgres'))('while a transaction is open (needs PostgreSQL)', () => {
  it('the feed stops before it, and shows all events in the same order afterwards', async () => {
    const { project } = await createFlow(server)
    await createEndpoint(server, project.id)
    await readCompleted(server, (await send(server, project.id)).id)
    const query = `project_id=${project.id}`
    const before = await readFeed(server, query, {}, 2)
    const older = new Client({ connectionString: server.database.url })
    await older.connect()
    try {
      await older.query('begin')
      await older.query('select pg_current_xact_id()')
      await readCompleted(server, (await send(server, project.id)).id)
      // The transaction above could still write an event with a lower position.
      expect(await readFeed(server, query)).toEqual(before)
      const { json: end } = await server.request('GET', `/v1/events?${query}`)
      const waiting = server.request('GET', `/v1/events?${query}&cursor=${end.cursor}&wait=20`)
      await new Promise((resolve) => setTimeout(resolve, 100))
      await older.query('commit')
      expect((await waiting).json.data.length).toBeGreaterThan(0)
    } finally {
      await older.end()
    }
    const after = await readFeed(server, query, {}, 4)
    expect(after.slice(0, before.length)).toEqual(before)
    expect(typesOf(after)).toEqual(['delivery.sent', 'notification.settled', 'delivery.sent', 'notification.settled'])
  })

  // A delivery changes `deliveries`. A check of a flow only locks the row of the flow before its event is stored.
  it.each(['update deliveries set status = status where false', 'select 1 from flows where false for no key update'])(
    'the creation of an endpoint waits if the transaction ran: %s',
    async (statement) => {
      const { project } = await createFlow(server)
      const older = new Client({ connectionString: server.database.url })
      await older.connect()
      try {
        await older.query('begin')
        await older.query(statement)
        let created = false
        const creating = createEndpoint(server, project.id).then(() => {
          created = true
        })
        await new Promise((resolve) => setTimeout(resolve, 300))
        expect(created).toBe(false)
        await older.query('commit')
        await creating
      } finally {
        await older.end()
      }
    },
  )
})

it('a cursor continues after a restore to a server whose transaction ids start over', async () => {
  await using first = await startTestServer({ env })
  const { project } = await createFlow(first)
  await createEndpoint(first, project.id)
  await readCompleted(first, (await send(first, project.id)).id)
  await readFeed(first, '', {}, 2)
  const { json: before } = await first.request('GET', '/v1/events')
  expect(typesOf(before.data)).toEqual(['delivery.sent', 'notification.settled'])
  await first.stop()
  // Simulates a dump that was restored to a new server. The stored positions are higher than any transaction id of that server.
  // The last statement writes the identity row again, as the restore does. This is how Flowpost detects the restore.
  await onDatabase(first.database, async (query) => {
    await query('update events set position = position + 1000000000')
    await query('update event_endpoints set cursor_position = cursor_position + 1000000000')
    await query('update flowpost_identity set canceling = canceling')
  })
  await using second = await first.restart({ env: { ...env, FLOWPOST_AFTER_RESTORE: 'send' } })
  const events = await readFeed(second)
  expect(events).toEqual(before.data)
  const { json: restored } = await second.request('GET', '/v1/events')
  await readCompleted(second, (await send(second, project.id)).id)
  const { json: next } = await second.request('GET', `/v1/events?cursor=${restored.cursor}&wait=5`)
  expect(next.data.length).toBeGreaterThan(0)
  expect((await readFeed(second)).slice(0, 2)).toEqual(before.data)
})
