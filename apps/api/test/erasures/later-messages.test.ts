import { expect, it } from 'vitest'
import { eraseCaptured } from '../../src/features/erasures/erase-captured.ts'
import { eraseEvents } from '../../src/features/erasures/erase-events.ts'
import { eraseLog } from '../../src/features/erasures/erase-log.ts'
import { eraseResponses } from '../../src/features/erasures/erase-responses.ts'
import { createEndpoint, eventEnv } from '../support/event-endpoints.ts'
import { openTestDatabase } from '../support/open-database.ts'
import { createFlow, readCompleted, send } from '../support/resources.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { erasedPerson, erasureDeps } from './erased-person.ts'

const address = 'bob@example.com'
// An erasure covers messages that are accepted up to a minute after its request.
const toleranceMs = 60_000

it('a running erasure erases nothing of the messages that are accepted more than a minute after its request', async () => {
  await using server = await startTestServer({ env: { ...eventEnv, FLOWPOST_CAPTURE: 'on' } })
  const { project } = await createFlow(server, { override_target: true })
  await createEndpoint(server, project.id, { events: ['delivery.sent', 'notification.settled'] })
  const fields = { target: address, reference: `for ${address}`, subject: `Hello ${address}` }
  const sendLater = async (on: TestServer) => {
    const headers = { 'Idempotency-Key': `welcome:${address}` }
    return (await on.request('POST', '/v1/notifications', { json: { project_id: project.id, message: 'Hello', ...fields }, headers })).json
  }
  const readAll = async (on: TestServer, { id, deliveries }: { id: string; deliveries: { id: string }[] }) => ({
    log: (await on.request('GET', `/v1/notifications/${id}`)).json,
    events: (await on.request('GET', '/v1/events')).json.data.filter(({ data }: { data: { id: string; notification_id?: string } }) =>
      [data.id, data.notification_id].includes(id),
    ),
    captured: (await on.openOutbox(`/${deliveries[0]?.id}/raw`)).text,
  })

  const earlier = await readCompleted(server, (await send(server, project.id, fields)).id)
  const later = await readCompleted(server, (await sendLater(server)).id)
  const before = await readAll(server, later)
  expect(before.events).toHaveLength(2)
  await server.stop()

  const database = await openTestDatabase(server.database)
  const cutoffMs = (Date.parse(earlier.created_at) + Date.parse(later.created_at)) / 2
  const person = erasedPerson(address, new Date(cutoffMs - toleranceMs))
  for (const step of [eraseLog, eraseCaptured, eraseResponses, eraseEvents])
    await database.transaction((transaction) => step(transaction, erasureDeps, person, null))
  await database.close()

  await using restarted = await server.restart()
  expect(await readAll(restarted, later)).toEqual(before)
  expect(await sendLater(restarted)).toMatchObject({ id: later.id, subject: fields.subject, deliveries: [{ target: address }] })
  const erased = await readAll(restarted, earlier)
  expect(JSON.stringify(erased)).not.toContain(address)
  expect(erased.events).toHaveLength(2)
})
