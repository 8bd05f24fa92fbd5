import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { secretsProgram } from '../src/cli/secrets.ts'
import { createEndpoint, endpointPath, eventEnv, readFeed } from './support/event-endpoints.ts'
import { type EventReceiver, type ReceivedEvent, startEventReceiver } from './support/event-receiver.ts'
import { createFlow, readCompleted, send } from './support/resources.ts'
import { runCommand } from './support/run-command.ts'
import { loopbackEgress } from './support/smtp-auth-server.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

const env = { ...eventEnv, FLOWPOST_CAPTURE: 'on' }
const retryPolicy = { initialWaitMs: 1, maxWaitMs: 20, budgetMs: 60_000 }

let server: TestServer
let receiver: EventReceiver
let paths = 0

beforeAll(async () => {
  receiver = await startEventReceiver()
  server = await startTestServer({ env, egress: loopbackEgress, retryPolicy, sendTimeoutMs: 500 })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
})

/** Creates a project with an endpoint at a path of the receiver that no other test uses. */
const createPushed = async (fields: object = {}, on = server) => {
  const { project } = await createFlow(on)
  paths += 1
  const path = `/events/${paths}`
  const endpoint = await createEndpoint(on, project.id, { url: receiver.url + path, events: ['notification.settled'], ...fields })
  const received = () => receiver.received.filter((event) => event.path === path)
  const waitFor = (count: number) => receiver.waitFor(() => received().length >= count)
  return { project, endpoint, path, received, waitFor }
}
const sendTimes = async (projectId: string, count: number, on = server): Promise<string[]> => {
  const ids: string[] = []
  for (let sent = 0; sent < count; sent += 1) ids.push((await readCompleted(on, (await send(on, projectId)).id)).id)
  return ids
}
const verify = (secret: string, { body, headers }: ReceivedEvent) => new Webhook(secret).verify(body, headers as Record<string, string>)
const replyAt = (path: string, reply: EventReceiver['reply']) => {
  const others = receiver.reply
  receiver.reply = (event, response) => (event.path === path ? reply(event, response) : others(event, response))
}
const healthOf = async (endpoint: { id: string; project_id: string }, on = server) =>
  (await on.request('GET', endpointPath(endpoint))).json.health
const untilHealth = async (endpoint: { id: string; project_id: string }, status: string, on = server) => {
  for (;;) {
    const health = await healthOf(endpoint, on)
    if (health.status === status) return health
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

describe('an endpoint with a URL', () => {
  it('receives its events in order, as in the feed, with signatures that another library verifies', async () => {
    const { project, endpoint, received, waitFor } = await createPushed({ events: ['delivery.sent', 'notification.settled'] })
    await sendTimes(project.id, 3)
    await waitFor(6)
    const feed = await readFeed(server, `project_id=${project.id}`, {}, 6)
    expect(received().map(({ json }) => json)).toEqual(feed)
    for (const event of received()) {
      expect(verify(endpoint.secret, event)).toEqual(event.json)
      expect(event.headers['webhook-id']).toBe(event.json.id)
    }
    expect(await untilHealth(endpoint, 'healthy')).toMatchObject({ code: null, next_attempt_at: null })
  })

  it('receives only the types that it lists', async () => {
    const { project, received, waitFor } = await createPushed()
    await createEndpoint(server, project.id)
    const ids = await sendTimes(project.id, 2)
    await waitFor(2)
    expect(received().map(({ json }) => json.data.id)).toEqual(ids)
  })

  it('receives a failed event again before the next one, and reports the failure meanwhile', async () => {
    const { project, endpoint, path, received, waitFor } = await createPushed()
    let failing = true
    replyAt(path, () => (failing ? 500 : 200))
    const ids = await sendTimes(project.id, 2)
    await waitFor(3)
    expect(await healthOf(endpoint)).toMatchObject({ status: 'failing', code: 'http_500', detail: 'The endpoint returned 500.' })
    failing = false
    await receiver.waitFor(() => received().some(({ json }) => json.data.id === ids[1]))
    const order = received().map(({ json }) => json.data.id)
    expect(order.lastIndexOf(ids[0])).toBe(order.indexOf(ids[1]) - 1)
    await untilHealth(endpoint, 'healthy')
    const { data } = (await server.request('GET', `${endpointPath(endpoint)}/attempts`)).json
    expect(data[0]).toMatchObject({ outcome: 'delivered', status: 200, code: null, type: 'notification.settled' })
    expect(data.at(-1)).toMatchObject({ outcome: 'failed', status: 500, code: 'http_500' })
  })

  it('is disabled by 410, loses nothing, and continues where it stopped after an update', async () => {
    const { project, endpoint, path, received, waitFor } = await createPushed()
    replyAt(path, () => 410)
    const ids = await sendTimes(project.id, 1)
    expect(await untilHealth(endpoint, 'disabled')).toMatchObject({ code: 'http_410' })
    ids.push(...(await sendTimes(project.id, 2)))
    expect(received()).toHaveLength(1)
    replyAt(path, () => 204)
    const { url, events, active, description } = endpoint
    await server.request('PUT', endpointPath(endpoint), { json: { url, events, active, description } })
    await waitFor(4)
    expect(received().map(({ json }) => json.data.id)).toEqual([ids[0], ...ids])
    expect(server.logged.join('')).toContain('Event endpoint disabled')
  })

  it('is disabled when it fails for the whole retry period', async () => {
    await using strict = await startTestServer({ env, egress: loopbackEgress, retryPolicy: { ...retryPolicy, budgetMs: 60 } })
    const { project, endpoint, path } = await createPushed({}, strict)
    replyAt(path, () => 503)
    await sendTimes(project.id, 1, strict)
    expect(await untilHealth(endpoint, 'disabled', strict)).toMatchObject({ code: 'http_503', next_attempt_at: null })
  })

  it('receives events again after a replay', async () => {
    const { project, endpoint, received, waitFor } = await createPushed()
    const ids = await sendTimes(project.id, 3)
    await waitFor(3)
    const [first] = received()
    const replay = await server.request('POST', `${endpointPath(endpoint)}/replay`, { json: { after: first?.json.id } })
    expect(replay.status, replay.text).toBe(200)
    await waitFor(5)
    expect(received().map(({ json }) => json.data.id)).toEqual([...ids, ids[1], ids[2]])
    const unknown = await server.request('POST', `${endpointPath(endpoint)}/replay`, { json: { after: endpoint.id } })
    expect(unknown.status).toBe(404)
  })

  it('receives signatures of the new and the previous secret after a rotation', async () => {
    const { project, endpoint, received, waitFor } = await createPushed()
    const { json: rotated } = await server.request('POST', `${endpointPath(endpoint)}/rotate-secret`)
    await sendTimes(project.id, 1)
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
    replyAt(path, () => 500)
    const failed = await server.request('POST', `${endpointPath(endpoint)}/test`)
    expect(failed.json).toMatchObject({ outcome: 'failed', status: 500, code: 'http_500' })
    const { data } = (await server.request('GET', `${endpointPath(endpoint)}/attempts?limit=1`)).json
    expect(data).toEqual([failed.json])
    expect((await healthOf(endpoint)).status).toBe('unknown')
  })

  it('keeps only its latest 100 attempts', async () => {
    const { endpoint } = await createPushed()
    for (let count = 0; count < 103; count += 1) await server.request('POST', `${endpointPath(endpoint)}/test`)
    const { data } = (await server.request('GET', `${endpointPath(endpoint)}/attempts?limit=1000`)).json
    expect(data).toHaveLength(100)
  }, 20_000)
})

describe('an endpoint that misbehaves', () => {
  const badReplies: Record<string, EventReceiver['reply']> = {
    fails: () => 500,
    stalls: () => undefined,
    'responds slowly': (_, response) => {
      response.writeHead(200)
      const timer = setInterval(() => response.write('a'), 20)
      response.on('close', () => clearInterval(timer))
      return undefined
    },
    'redirects to a private address': (_, response) => {
      response.writeHead(307, { location: 'http://169.254.169.254/' }).end()
      return undefined
    },
  }

  it.each(Object.entries(badReplies))('and %s delays neither messages nor other endpoints', async (_, reply) => {
    const bad = await createPushed()
    replyAt(bad.path, reply)
    const other = await createEndpoint(server, bad.project.id, { url: `${receiver.url}${bad.path}/good`, events: ['notification.settled'] })
    const good = await createPushed()
    await sendTimes(bad.project.id, 1)
    await bad.waitFor(1)
    const startedAt = Date.now()
    const ids = await sendTimes(good.project.id, 3)
    await good.waitFor(3)
    expect(good.received().map(({ json }) => json.data.id)).toEqual(ids)
    await receiver.waitFor((received) => received.some(({ path }) => path === `${bad.path}/good`))
    expect(Date.now() - startedAt).toBeLessThan(3_000)
    expect(await untilHealth(other, 'healthy')).toBeDefined()
    expect((await untilHealth(bad.endpoint, 'failing')).code).toMatch(/^http_(500|307)$|timed_out/)
  })

  it('and has a private address is never reached', async () => {
    await using guarded = await startTestServer({ env })
    const { project, endpoint, received } = await createPushed({}, guarded)
    await sendTimes(project.id, 1, guarded)
    expect((await untilHealth(endpoint, 'failing', guarded)).code).toMatch(/https_required|address_not_allowed|port_not_allowed/)
    expect(received()).toEqual([])
  })
})

it('finishes or releases pushes in flight at shutdown', async () => {
  const first = await startTestServer({ env, egress: loopbackEgress, retryPolicy, shutdownGraceMs: 100 })
  const { project, endpoint, path, received, waitFor } = await createPushed({}, first)
  replyAt(path, () => undefined)
  const ids = await sendTimes(project.id, 1, first)
  await waitFor(1)
  await first.stop()
  replyAt(path, () => 204)
  await using second = await first.restart({ env, egress: loopbackEgress })
  await waitFor(2)
  expect(received().map(({ json }) => json.data.id)).toEqual([ids[0], ids[0]])
  expect(await untilHealth(endpoint, 'healthy', second)).toBeDefined()
})

it('signs with the same secrets after the encryption key was rotated', async () => {
  const [before, after] = ['before', 'after'].map((id) => `${id}:${Buffer.alloc(32, id).toString('base64')}`)
  const first = await startTestServer({ env: { ...env, FLOWPOST_ENCRYPTION_KEY: before ?? '' }, egress: loopbackEgress })
  const { project, endpoint, received, waitFor } = await createPushed({}, first)
  await first.stop()
  const rotated = await runCommand(secretsProgram, ['rotate', '--json'], {
    ...first.database.env,
    FLOWPOST_ENCRYPTION_KEY: `${after},${before}`,
  })
  expect(JSON.parse(rotated.out).event_endpoints).toEqual({ rotated: 1, current: 0, conflicts: 0, unreadable: 0 })
  await using second = await first.restart({ env: { ...env, FLOWPOST_ENCRYPTION_KEY: after ?? '' }, egress: loopbackEgress })
  await sendTimes(project.id, 1, second)
  await waitFor(1)
  const [event] = received()
  if (!event) throw new Error('No event was received.')
  expect(verify(endpoint.secret, event)).toEqual(event.json)
})
