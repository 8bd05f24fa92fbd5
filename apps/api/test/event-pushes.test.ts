import { verifyEvent } from '@flowpost/client/events'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { secretsProgram } from '../src/cli/secrets.ts'
import { createEndpoint, endpointPath, eventEnv, readFeed } from './support/event-endpoints.ts'
import { type EventReceiver, type ReceivedEvent, startEventReceiver } from './support/event-receiver.ts'
import { createPushes, healthOf, replyAt, sendTimes, untilHealth } from './support/pushed-endpoints.ts'
import { runCommand } from './support/run-command.ts'
import { loopbackEgress } from './support/smtp-auth-server.ts'
import { createTestDatabase } from './support/test-database.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

const env = { ...eventEnv, FLOWPOST_CAPTURE: 'on' }
const retryPolicy = { initialWaitMs: 1, maxWaitMs: 20, budgetMs: 60_000 }

let server: TestServer
let receiver: EventReceiver
let createPushed: ReturnType<typeof createPushes>

beforeAll(async () => {
  receiver = await startEventReceiver()
  server = await startTestServer({ env, egress: loopbackEgress, retryPolicy, sendTimeoutMs: 500 })
  createPushed = createPushes(receiver, server)
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
})

const verify = (secret: string, { body, headers }: ReceivedEvent) => new Webhook(secret).verify(body, headers as Record<string, string>)

describe('an endpoint with a URL', () => {
  it('receives its events in order, as in the feed, with signatures that another library verifies', async () => {
    const { project, endpoint, received, waitFor } = await createPushed({ events: ['delivery.sent', 'notification.settled'] })
    await sendTimes(server, project.id, 3)
    await waitFor(6)
    const feed = await readFeed(server, `project_id=${project.id}`, {}, 6)
    expect(received().map(({ json }) => json)).toEqual(feed)
    for (const event of received()) {
      expect(verify(endpoint.secret, event)).toEqual(event.json)
      expect(event.headers['webhook-id']).toBe(event.json.id)
    }
    expect(await untilHealth(server, endpoint, 'healthy')).toMatchObject({ code: null, next_attempt_at: null })
  })

  it('receives only the types that it lists', async () => {
    const { project, received, waitFor } = await createPushed()
    await createEndpoint(server, project.id)
    const ids = await sendTimes(server, project.id, 2)
    await waitFor(2)
    expect(received().map(({ json }) => json.data.id)).toEqual(ids)
  })

  it('receives a failed event again before the next event, and reports the failure in the meantime', async () => {
    const { project, endpoint, path, received, waitFor } = await createPushed()
    let failing = true
    replyAt(receiver, path, () => (failing ? 500 : 200))
    const ids = await sendTimes(server, project.id, 2)
    await waitFor(3)
    expect(await healthOf(server, endpoint)).toMatchObject({ status: 'failing', code: 'http_500', detail: 'The endpoint returned 500.' })
    failing = false
    await receiver.waitFor(() => received().some(({ json }) => json.data.id === ids[1]))
    const order = received().map(({ json }) => json.data.id)
    expect(order.lastIndexOf(ids[0])).toBe(order.indexOf(ids[1]) - 1)
    await untilHealth(server, endpoint, 'healthy')
    const { data } = (await server.request('GET', `${endpointPath(endpoint)}/attempts`)).json
    expect(data[0]).toMatchObject({ outcome: 'delivered', status: 200, code: null, type: 'notification.settled' })
    expect(data.at(-1)).toMatchObject({ outcome: 'failed', status: 500, code: 'http_500' })
  })

  it('is disabled by 410, and after an update continues where it stopped without losing an event', async () => {
    const { project, endpoint, path, received, waitFor } = await createPushed()
    replyAt(receiver, path, () => 410)
    const ids = await sendTimes(server, project.id, 1)
    expect(await untilHealth(server, endpoint, 'disabled')).toMatchObject({ code: 'http_410' })
    ids.push(...(await sendTimes(server, project.id, 2)))
    expect(received()).toHaveLength(1)
    replyAt(receiver, path, () => 204)
    const { url, events, active, description } = endpoint
    await server.request('PUT', endpointPath(endpoint), { json: { url, events, active, description } })
    await waitFor(4)
    expect(received().map(({ json }) => json.data.id)).toEqual([ids[0], ...ids])
    expect(server.logged.join('')).toContain('Event endpoint disabled')
  })

  it('is tried again after a 404, but not before the time in Retry-After', async () => {
    const { project, endpoint, path, waitFor } = await createPushed()
    replyAt(receiver, path, (_, response) => {
      response.writeHead(404, { 'retry-after': '30' }).end()
      return undefined
    })
    await sendTimes(server, project.id, 1)
    await waitFor(1)
    const { code, since, next_attempt_at } = await untilHealth(server, endpoint, 'failing')
    expect(code).toBe('http_404')
    // Without the header, the wait is at most 20 ms.
    expect(Date.parse(next_attempt_at) - Date.parse(since)).toBeGreaterThanOrEqual(29_000)
  })

  it('is not disabled by one response whose Retry-After is longer than the retry period', async () => {
    const { project, endpoint, path, received, waitFor } = await createPushed()
    let failing = true
    replyAt(receiver, path, (_, response) => {
      if (!failing) return 204
      failing = false
      response.writeHead(503, { 'retry-after': '86400' }).end()
      return undefined
    })
    const [id] = await sendTimes(server, project.id, 1)
    await waitFor(2)
    expect(received().map(({ json }) => json.data.id)).toEqual([id, id])
    await untilHealth(server, endpoint, 'healthy')
  })

  it('is disabled when it fails for the whole retry period', async () => {
    await using strict = await startTestServer({ env, egress: loopbackEgress, retryPolicy: { ...retryPolicy, budgetMs: 60 } })
    const { project, endpoint, path } = await createPushed({}, strict)
    replyAt(receiver, path, () => 503)
    await sendTimes(strict, project.id, 1)
    expect(await untilHealth(strict, endpoint, 'disabled')).toMatchObject({ code: 'http_503', next_attempt_at: null })
  })

  it('receives events again after a replay', async () => {
    const { project, endpoint, received, waitFor } = await createPushed()
    const ids = await sendTimes(server, project.id, 3)
    await waitFor(3)
    const [first] = received()
    const replay = await server.request('POST', `${endpointPath(endpoint)}/replay`, { json: { after: first?.json.id } })
    expect(replay.status, replay.text).toBe(200)
    await waitFor(5)
    expect(received().map(({ json }) => json.data.id)).toEqual([...ids, ids[1], ids[2]])
    const unknown = await server.request('POST', `${endpointPath(endpoint)}/replay`, { json: { after: endpoint.id } })
    expect(unknown.status).toBe(404)
  })

  it('receives signatures with the new and the previous secret after a rotation', async () => {
    const { project, endpoint, received, waitFor } = await createPushed()
    const { json: rotated } = await server.request('POST', `${endpointPath(endpoint)}/rotate-secret`)
    await sendTimes(server, project.id, 1)
    await waitFor(1)
    const [event] = received()
    if (!event) throw new Error('No event was received.')
    for (const { secret } of [endpoint, rotated]) expect(verify(secret, event)).toEqual(event.json)
    expect(String(event.headers['webhook-signature']).split(' ')).toHaveLength(2)
  })

  it('receives a test event, whose outcome is returned and logged', async () => {
    const { endpoint, path, received } = await createPushed({ active: false })
    const { json } = await server.request('POST', `${endpointPath(endpoint)}/test`)
    expect(json).toMatchObject({ type: 'test.ping', outcome: 'delivered', status: 204 })
    expect(received()[0]?.json).toMatchObject({
      id: json.event_id,
      type: 'test.ping',
      data: { endpoint_id: endpoint.id, project_id: endpoint.project_id },
    })
    replyAt(receiver, path, () => 500)
    const failed = await server.request('POST', `${endpointPath(endpoint)}/test`)
    expect(failed.json).toMatchObject({ outcome: 'failed', status: 500, code: 'http_500' })
    const { data } = (await server.request('GET', `${endpointPath(endpoint)}/attempts?limit=1`)).json
    expect(data).toEqual([failed.json])
    expect((await healthOf(server, endpoint)).status).toBe('unknown')
  })

  it('has accepted an event if the status is 200, even if the body is cut off', async () => {
    const { endpoint, path } = await createPushed({ active: false })
    replyAt(receiver, path, (_, response) => {
      response.writeHead(200, { 'content-length': 10 }).write('x', () => response.destroy())
      return undefined
    })
    const { json } = await server.request('POST', `${endpointPath(endpoint)}/test`)
    expect(json).toMatchObject({ outcome: 'delivered', status: 200, code: null })
  })

  it('keeps only its latest 100 attempts', async () => {
    const { endpoint } = await createPushed()
    for (let count = 0; count < 103; count += 1) await server.request('POST', `${endpointPath(endpoint)}/test`)
    const { data } = (await server.request('GET', `${endpointPath(endpoint)}/attempts?limit=1000`)).json
    expect(data).toHaveLength(100)
  })
})

it('finishes or releases pushes in flight at shutdown', async () => {
  const first = await startTestServer({ env, egress: loopbackEgress, retryPolicy, shutdownGraceMs: 100 })
  const { project, endpoint, path, received, waitFor } = await createPushed({}, first)
  replyAt(receiver, path, () => undefined)
  const ids = await sendTimes(first, project.id, 1)
  await waitFor(1)
  await first.stop()
  replyAt(receiver, path, () => 204)
  await using second = await first.restart({ env, egress: loopbackEgress })
  await waitFor(2)
  expect(received().map(({ json }) => json.data.id)).toEqual([ids[0], ids[0]])
  expect(await untilHealth(second, endpoint, 'healthy')).toBeDefined()
})

it('signs with only the new secret a day after a rotation', async () => {
  const first = await startTestServer({ env, egress: loopbackEgress })
  const { project, endpoint, waitFor, received } = await createPushed({}, first)
  const { json: rotated } = await first.request('POST', `${endpointPath(endpoint)}/rotate-secret`)
  await first.stop()
  const signaturesAfter = async (hours: number) => {
    const clock = { now: () => new Date(Date.now() + hours * 3_600_000) }
    const later = await first.restart({ env, egress: loopbackEgress, clock })
    const count = received().length
    await sendTimes(later, project.id, 1)
    await waitFor(count + 1)
    await later.stop()
    const event = received().at(-1)
    if (!event) throw new Error('No event was received.')
    const options = { toleranceSeconds: 100 * 3_600 }
    const accepts = (secret: string) => verifyEvent(event.body, event.headers, secret, options).then(Boolean, () => false)
    return [await accepts(rotated.secret), await accepts(endpoint.secret)]
  }
  expect(await signaturesAfter(23)).toEqual([true, true])
  expect(await signaturesAfter(25)).toEqual([true, false])
  await first[Symbol.asyncDispose]()
})

it('signs with the same secrets after the encryption key was rotated', async () => {
  const [before, after] = ['before', 'after'].map((id) => `${id}:${Buffer.alloc(32, id).toString('base64')}`)
  const first = await startTestServer({
    database: await createTestDatabase(),
    env: { ...env, FLOWPOST_ENCRYPTION_KEY: before ?? '' },
    egress: loopbackEgress,
  })
  const { project, endpoint, received, waitFor } = await createPushed({}, first)
  await first.stop()
  const rotated = await runCommand(secretsProgram, ['rotate', '--json'], {
    ...first.database.env,
    FLOWPOST_ENCRYPTION_KEY: `${after},${before}`,
  })
  expect(JSON.parse(rotated.out).event_endpoints).toEqual({ rotated: 1, current: 0, conflicts: 0, unreadable: 0 })
  await using second = await first.restart({ env: { ...env, FLOWPOST_ENCRYPTION_KEY: after ?? '' }, egress: loopbackEgress })
  await sendTimes(second, project.id, 1)
  await waitFor(1)
  const [event] = received()
  if (!event) throw new Error('No event was received.')
  expect(verify(endpoint.secret, event)).toEqual(event.json)
})
