import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defaultSlots } from '../src/features/events/push/push-slots.ts'
import { createEndpoint, endpointPath, eventEnv } from './support/event-endpoints.ts'
import { type EventReceiver, startEventReceiver } from './support/event-receiver.ts'
import { createPushes, healthOf, replyAt, sendTimes, untilHealth } from './support/pushed-endpoints.ts'
import { loopbackEgress } from './support/smtp-auth-server.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

const env = { ...eventEnv, FLOWPOST_CAPTURE: 'on' }
const retryPolicy = { initialWaitMs: 1, maxWaitMs: 20, budgetMs: 60_000 }
const options = { env, egress: loopbackEgress, retryPolicy }
const onlySettled = { events: ['notification.settled'] }

let server: TestServer
/** A server that waits longer for an endpoint than any test takes. */
let patient: TestServer
let receiver: EventReceiver
let createPushed: ReturnType<typeof createPushes>

beforeAll(async () => {
  receiver = await startEventReceiver()
  server = await startTestServer({ ...options, sendTimeoutMs: 500 })
  patient = await startTestServer({ ...options, sendTimeoutMs: 600_000, shutdownGraceMs: 100 })
  createPushed = createPushes(receiver, server)
})
afterAll(async () => {
  for (const running of [server, patient]) await running[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
})

describe('a misbehaving endpoint', () => {
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
      // The only private address that these servers may connect to, so a followed redirect would arrive there.
      response.writeHead(307, { location: `${receiver.url}/private` }).end()
      return undefined
    },
  }

  it.each(Object.entries(badReplies))('that %s delays neither messages nor other endpoints', async (kind, reply) => {
    const bad = await createPushed({}, patient)
    replyAt(receiver, bad.path, reply)
    const otherPath = `${bad.path}/good`
    const other = await createEndpoint(patient, bad.project.id, { ...onlySettled, url: `${receiver.url}${otherPath}` })
    const good = await createPushed({}, patient)
    await sendTimes(patient, bad.project.id, 1)
    await bad.waitFor(1)
    const ids = await sendTimes(patient, good.project.id, 3)
    await good.waitFor(3)
    expect(good.received().map(({ json }) => json.data.id)).toEqual(ids)
    await sendTimes(patient, bad.project.id, 1)
    await receiver.waitFor((received) => received.filter(({ path }) => path === otherPath).length === 2)
    expect(await untilHealth(patient, other, 'healthy')).toBeDefined()
    // The status is enough. The body, which does not end, is not read.
    if (kind === 'responds slowly') return void (await untilHealth(patient, bad.endpoint, 'healthy'))
    if (kind !== 'stalls') return void (await untilHealth(patient, bad.endpoint, 'failing'))
    // The first request is still in flight, so no second one was sent.
    expect(bad.received()).toHaveLength(1)
    expect((await healthOf(patient, bad.endpoint)).status).toBe('unknown')
  })

  it.each([
    ['fails', 'http_500'],
    ['stalls', 'timed_out'],
    ['redirects to a private address', 'http_307'],
  ])('that %s gets the status failing with the code %s', async (kind, code) => {
    const { project, endpoint, path, waitFor } = await createPushed()
    replyAt(receiver, path, badReplies[kind] ?? (() => 500))
    await sendTimes(server, project.id, 1)
    await waitFor(1)
    expect((await untilHealth(server, endpoint, 'failing')).code).toContain(code)
    expect(receiver.received.filter((request) => request.path === '/private')).toEqual([])
  })

  it('that responds with 200, but never completes its response, has received the event', async () => {
    const { project, endpoint, path, waitFor } = await createPushed()
    replyAt(receiver, path, badReplies['responds slowly'] ?? (() => 500))
    await sendTimes(server, project.id, 2)
    await waitFor(2)
    expect((await untilHealth(server, endpoint, 'healthy')).code).toBeNull()
  })

  it('that has a private address is never reached', async () => {
    await using guarded = await startTestServer({ env })
    const { project, endpoint, received } = await createPushed({}, guarded)
    await sendTimes(guarded, project.id, 1)
    expect((await untilHealth(guarded, endpoint, 'failing')).code).toMatch(/https_required|address_not_allowed|port_not_allowed/)
    expect(received()).toEqual([])
  })
})

it.each([
  ['on their first request', false],
  ['on the first retry', true],
])(
  'endpoints that stall %s do not block the others, even if there are more stalled endpoints than slots in a process',
  async (_, failsFirst) => {
    await using stalling = await startTestServer({ ...options, sendTimeoutMs: 600_000, shutdownGraceMs: 100 })
    const stalledPath = `/stalled/${failsFirst}`
    const counts = new Map<string, number>()
    receiver.reply = ({ path }) => {
      if (!path.startsWith(stalledPath)) return 204
      const count = (counts.get(path) ?? 0) + 1
      counts.set(path, count)
      return failsFirst && count === 1 ? 500 : undefined
    }
    const stalledProjects: string[] = []
    for (let projects = 0; projects < 7; projects += 1) {
      const { id } = (await createPushed({ url: null }, stalling)).project
      for (let number = 1; number < 20; number += 1)
        await createEndpoint(stalling, id, { ...onlySettled, url: `${receiver.url}${stalledPath}/${projects}/${number}` })
      stalledProjects.push(id)
    }
    const working = await createPushed({}, stalling)
    await sendTimes(stalling, working.project.id, 1)
    await untilHealth(stalling, working.endpoint, 'healthy')
    for (const id of stalledProjects) await sendTimes(stalling, id, 1)
    const { unknown, failing } = defaultSlots
    const stalledCount = failsFirst ? 2 : 1
    const slots = failsFirst ? failing : unknown
    await receiver.waitFor(() => [...counts.values()].filter((count) => count === stalledCount).length >= slots)
    await sendTimes(stalling, working.project.id, 2)
    await working.waitFor(3)
    const added = await createPushed({}, stalling)
    const ids = await sendTimes(stalling, added.project.id, 3)
    await added.waitFor(3)
    expect(added.received().map(({ json }) => json.data.id)).toEqual(ids)
  },
)

it('an updated endpoint receives its events while an earlier request is open, and a late response to it has no effect', async () => {
  const { project, endpoint, path, waitFor } = await createPushed({}, patient)
  let respond = () => {}
  replyAt(receiver, path, (_, response) => {
    respond = () => response.writeHead(410).end()
    return undefined
  })
  const [id] = await sendTimes(patient, project.id, 1)
  await waitFor(1)
  const moved = `${path}/moved`
  const { events, active, description } = endpoint
  const updated = { url: receiver.url + moved, events, active, description }
  expect((await patient.request('PUT', endpointPath(endpoint), { json: updated })).status).toBe(200)
  await receiver.waitFor((received) => received.some((event) => event.path === moved && event.json.data.id === id))
  await untilHealth(patient, endpoint, 'healthy')
  respond()
  const [next] = await sendTimes(patient, project.id, 1)
  await receiver.waitFor((received) => received.some((event) => event.path === moved && event.json.data.id === next))
  // The late 410 neither disables the endpoint nor appears among its attempts.
  const readOutcomes = async () => {
    const { data } = (await patient.request('GET', `${endpointPath(endpoint)}/attempts`)).json
    return data.map(({ outcome }: { outcome: string }) => outcome)
  }
  // The worker records an attempt after the receiver has responded.
  await expect.poll(readOutcomes).toEqual(['delivered', 'delivered'])
  expect((await healthOf(patient, endpoint)).status).toBe('healthy')
})

it('a response that arrives after its endpoint became inactive has no effect', async () => {
  const { project, endpoint, path, waitFor } = await createPushed({}, patient)
  let respond = () => {}
  replyAt(receiver, path, (_, response) => {
    respond = () => response.writeHead(410).end()
    return undefined
  })
  await sendTimes(patient, project.id, 1)
  await waitFor(1)
  const { url, events, description } = endpoint
  const updated = await patient.request('PUT', endpointPath(endpoint), { json: { url, events, active: false, description } })
  expect(updated.status).toBe(200)
  const countFailed = async () =>
    Number(
      /^flowpost_event_pushes_total\{outcome="failed"\} (\d+)$/m.exec((await patient.request('GET', '/metrics', { key: null })).text)?.[1],
    )
  const before = await countFailed()
  respond()
  await expect.poll(countFailed).toBeGreaterThan(before)
  // The worker first counts the failed request, and then tries to record it in the database. The second part needs a moment.
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect((await healthOf(patient, endpoint)).status).toBe('unknown')
  expect((await patient.request('GET', `${endpointPath(endpoint)}/attempts`)).json.data).toEqual([])
})
