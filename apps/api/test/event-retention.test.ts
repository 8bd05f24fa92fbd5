import { expect, it, onTestFinished } from 'vitest'
import { onDatabase } from './support/direct-database.ts'
import { createEndpoint, endpointPath, eventEnv, readFeed } from './support/event-endpoints.ts'
import { startEventReceiver } from './support/event-receiver.ts'
import { createFlow, readCompleted, send } from './support/resources.ts'
import { loopbackEgress } from './support/smtp-auth-server.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

const env = { ...eventEnv, FLOWPOST_CAPTURE: 'on' }
const dayMs = 24 * 3_600_000
const afterDays = (days: number) => ({ now: () => new Date(Date.now() + days * dayMs) })
const onlySettled = { events: ['notification.settled'] }
const idsOf = (events: readonly { data: { id: string } }[]) => events.map(({ data }) => data.id)

const sendTimes = async (server: TestServer, projectId: string, count: number): Promise<string[]> => {
  const ids: string[] = []
  for (let sent = 0; sent < count; sent += 1) ids.push((await readCompleted(server, (await send(server, projectId)).id)).id)
  return ids
}

/** Restarts a server with its clock `days` ahead. Adds a row that the last step of retention deletes. */
const restartAfter = async (server: TestServer, days: number): Promise<TestServer> => {
  await server.stop()
  await onDatabase(server.database, (query) => query('insert into report_nonces (digest, expires_at) values (gen_random_uuid(), now())'))
  const later = await server.restart({ env, egress: loopbackEgress, clock: afterDays(days) })
  onTestFinished(() => later[Symbol.asyncDispose]())
  return later
}
const untilEmpty = (server: TestServer, query: string) => expect.poll(() => readFeed(server, query)).toEqual([])

it('a cursor whose next events were deleted continues with the oldest stored event', async () => {
  const server = await startTestServer({ env })
  const { project } = await createFlow(server)
  await createEndpoint(server, project.id, onlySettled)
  await sendTimes(server, project.id, 3)
  const query = `project_id=${project.id}`
  const events = await readFeed(server, query, {}, 3)
  const { cursor } = (await server.request('GET', `/v1/events?${query}&limit=1`)).json
  const unread = await server.request('GET', `/v1/events?${query}&cursor=${cursor}`)
  expect(unread.json.data).toEqual(events.slice(1))

  const week = await restartAfter(server, 6)
  await expect.poll(() => week.logged.join('')).toContain('"step":"reportNonces"')
  expect(await readFeed(week, query)).toEqual(events)

  const later = await restartAfter(week, 8)
  await untilEmpty(later, query)
  const ids = await sendTimes(later, project.id, 2)
  const { status, json } = await later.request('GET', `/v1/events?${query}&cursor=${cursor}&wait=5`)
  expect(status).toBe(200)
  const rest = await later.request('GET', `/v1/events?${query}&cursor=${json.cursor}&wait=${json.data.length < 2 ? 5 : 0}`)
  expect(idsOf([...json.data, ...rest.json.data])).toEqual(ids)
  const replay = `${endpointPath(await createEndpoint(later, project.id, { url: 'https://127.0.0.1:9/' }))}/replay`
  expect((await later.request('POST', replay, { json: { after: events[0].id } })).status).toBe(404)
})

it('an endpoint that is unreachable for longer than the retention period loses the oldest events, and receives the stored ones', async () => {
  const receiver = await startEventReceiver()
  onTestFinished(() => receiver[Symbol.asyncDispose]())
  receiver.reply = () => 410
  const server = await startTestServer({ env, egress: loopbackEgress })
  const { project } = await createFlow(server)
  const endpoint = await createEndpoint(server, project.id, { ...onlySettled, url: `${receiver.url}/` })
  await sendTimes(server, project.id, 2)
  await expect.poll(async () => (await server.request('GET', endpointPath(endpoint))).json.health.status).toBe('disabled')

  const later = await restartAfter(server, 8)
  await untilEmpty(later, `project_id=${project.id}`)
  const ids = await sendTimes(later, project.id, 2)
  receiver.reply = () => 204
  const before = receiver.received.length
  const { url, events, active, description } = endpoint
  expect((await later.request('PUT', endpointPath(endpoint), { json: { url, events, active, description } })).status).toBe(200)
  await receiver.waitFor(({ length }) => length === before + 2)
  expect(idsOf(receiver.received.slice(before).map(({ json }) => json))).toEqual(ids)
})
