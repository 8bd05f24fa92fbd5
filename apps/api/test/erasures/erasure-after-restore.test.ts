import { expect, it } from 'vitest'
import { onDatabase } from '../support/direct-database.ts'
import { createEndpoint, eventEnv } from '../support/event-endpoints.ts'
import { createFlow, readCompleted, send } from '../support/resources.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { startTestServer } from '../support/test-server.ts'

const address = 'bob@example.com'
const env = { ...eventEnv, FLOWPOST_CAPTURE: 'on' }

it('an erasure ends although the positions of events after a restore exceed the safe integers of JavaScript', async () => {
  const database = await createTestDatabase()
  await using _removed = { [Symbol.asyncDispose]: () => database.remove() }
  await (await startTestServer({ database, env })).stop()
  // The row is written in another transaction, as by a restore.
  await onDatabase(database, (query) => query('update flowpost_identity set event_epoch = 1400'))
  await using server = await startTestServer({ database, env: { ...env, FLOWPOST_AFTER_RESTORE: 'send' } })
  const { project } = await createFlow(server, { target: address })
  await createEndpoint(server, project.id, { url: null, events: ['notification.settled'] })
  await readCompleted(server, (await send(server, project.id)).id)
  const { json: erasure } = await server.request('POST', '/v1/erasures', { json: { target: address } })
  await expect.poll(async () => (await server.request('GET', `/v1/erasures/${erasure.id}`)).json.status).toBe('done')
  const { json: events } = await server.request('GET', '/v1/events')
  expect(JSON.stringify(events)).not.toContain(address)
  expect(events.data).not.toEqual([])
})
