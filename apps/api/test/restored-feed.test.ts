import { expect, it } from 'vitest'
import { copyDatabase } from './support/copied-database.ts'
import { onDatabase } from './support/direct-database.ts'
import { createEndpoint, eventEnv } from './support/event-endpoints.ts'
import { sendTimes } from './support/pushed-endpoints.ts'
import { createFlow } from './support/resources.ts'
import { createTestDatabase, type TestDatabase } from './support/test-database.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

/** Changes the data of a restored database as if it had been restored 6 hours earlier. */
const restoreEarlier = (database: TestDatabase) =>
  onDatabase(database, (query) =>
    query('update flowpost_identity set event_epoch = greatest(1, event_epoch - 1), written_in = pg_current_xact_id()::text::bigint'),
  )

/** Reads this many events after a cursor. Returns the ids of their notifications, and the cursor after them. */
const readEvents = async (server: TestServer, count: number, cursor?: string) => {
  const ids: string[] = []
  while (ids.length < count) {
    const { json } = await server.request('GET', `/v1/events?wait=5${cursor === undefined ? '' : `&cursor=${cursor}`}`)
    ids.push(...json.data.map(({ data }: { data: { id: string } }) => data.id))
    cursor = json.cursor
  }
  return { ids, cursor }
}

it('the feed skips no event for a cursor from an earlier restore of the same backup', async () => {
  const env = { ...eventEnv, FLOWPOST_CAPTURE: 'on', FLOWPOST_AFTER_RESTORE: 'send' }
  await using server = await startTestServer({ database: await createTestDatabase(), env })
  const { project } = await createFlow(server)
  await createEndpoint(server, project.id, { events: ['notification.settled'] })
  await sendTimes(server, project.id, 1)
  await server.stop()

  await using first = await server.restart({ database: await copyDatabase(server.database) })
  await first.stop()
  await restoreEarlier(first.database)
  await using used = await first.restart()
  const before = await sendTimes(used, project.id, 10)
  const read = await readEvents(used, 11)
  expect(read.ids.slice(1)).toEqual(before)
  await used.stop()

  await using second = await server.restart({ database: await copyDatabase(server.database) })
  const ids = await sendTimes(second, project.id, 2)
  expect((await readEvents(second, 2, read.cursor)).ids).toEqual(ids)
})
