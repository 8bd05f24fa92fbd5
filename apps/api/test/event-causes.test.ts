import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { copyDatabase } from './support/copied-database.ts'
import { onDatabase } from './support/direct-database.ts'
import { createEndpoint, endpointPath, eventEnv, readFeed } from './support/event-endpoints.ts'
import { startEventReceiver } from './support/event-receiver.ts'
import { createFlow, flowPath, readCompleted, send } from './support/resources.ts'
import { loopbackEgress, type SmtpAuthServer, smtpSettingsFor, startSmtpAuthServer } from './support/smtp-auth-server.ts'
import { createTestDatabase } from './support/test-database.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

const env = { ...eventEnv, FLOWPOST_CAPTURE: 'off' }
const typesOf = (events: readonly { type: string }[]) => events.map(({ type }) => type)
const inOneHour = () => new Date(Date.now() + 3_600_000).toISOString()

describe('the feed of a project that sends by SMTP', () => {
  let smtp: SmtpAuthServer
  let server: TestServer
  let accounts = 0
  beforeAll(async () => {
    smtp = await startSmtpAuthServer()
    // A failed attempt would be retried only after these messages have expired.
    const retryPolicy = { initialWaitMs: 4 * 3_600_000, maxWaitMs: 4 * 3_600_000, budgetMs: 24 * 3_600_000 }
    server = await startTestServer({ env, egress: loopbackEgress, retryPolicy, random: () => 0.999 })
  })
  afterAll(async () => {
    await server[Symbol.asyncDispose]()
    await smtp[Symbol.asyncDispose]()
  })

  /** Creates a project that has an event endpoint and credentials for a mail server. */
  const createObserved = async (settings: object = smtpSettingsFor(smtp)) => {
    const { project, flow } = await createFlow(server)
    accounts += 1
    const integration = `/v1/settings/projects/${project.id}/integrations/smtp`
    const stored = await server.request('PUT', integration, { json: { settings, secrets: { password: `password ${accounts}` } } })
    expect(stored.status, stored.text).toBe(200)
    await createEndpoint(server, project.id)
    return { project, flow, query: `project_id=${project.id}` }
  }

  it('contains a delivery that expires before its next attempt', async () => {
    // Nothing listens on this port.
    const { project, query } = await createObserved({ ...smtpSettingsFor(smtp), port: 9 })
    const { id } = await send(server, project.id, { expires_at: inOneHour() })
    const expired = await readCompleted(server, id)
    const events = await readFeed(server, query, {}, 2)
    expect(typesOf(events)).toEqual(['delivery.canceled', 'notification.settled'])
    const failure = { kind: 'expired', code: 'expired' }
    expect(events[0].data).toMatchObject({ id: expired.deliveries[0].id, status: 'canceled', attempt_count: 1, failure })
    expect(events[1].data).toMatchObject({ id, status: 'canceled' })
  })

  it('contains a flow, as GET returns it, each time its health changes, and nothing in between', async () => {
    const { project, flow, query } = await createObserved()
    const readFlow = async () => (await server.request('GET', flowPath(flow))).json
    const sendTimes = async (count: number) => {
      for (let sent = 0; sent < count; sent += 1) await readCompleted(server, (await send(server, project.id)).id)
    }
    const readHealth = async (count: number) => {
      const events = await readFeed(server, query, {}, count)
      return events.filter(({ type }) => type.startsWith('flow.'))
    }
    smtp.acceptsRecipient = () => false
    await sendTimes(9)
    expect(await readHealth(18)).toEqual([])
    await sendTimes(2)
    const unhealthy = await readFlow()
    smtp.acceptsRecipient = () => true
    const [first, ...more] = await readHealth(23)
    expect(first).toMatchObject({ type: 'flow.unhealthy', data: { id: flow.id, health: { status: 'unhealthy', code: '5.1.1' } } })
    expect([first.data, more]).toEqual([unhealthy, []])
    await sendTimes(2)
    const [, second, ...others] = await readHealth(28)
    expect(second).toMatchObject({ type: 'flow.healthy', data: { id: flow.id, health: { status: 'healthy', code: null } } })
    expect([second.data, others]).toEqual([await readFlow(), []])
  })
})

it('after a restore, events wait with the messages, and then report what the operator cancels', async () => {
  const receiver = await startEventReceiver()
  onTestFinished(() => receiver[Symbol.asyncDispose]())
  receiver.reply = () => 500
  const options = { egress: loopbackEgress, retryPolicy: { initialWaitMs: 1, maxWaitMs: 20, budgetMs: 60_000 } }
  const captured = { ...eventEnv, FLOWPOST_CAPTURE: 'on' }
  const before = await startTestServer({ database: await createTestDatabase(), env: captured, ...options })
  onTestFinished(() => before[Symbol.asyncDispose]())
  const { project } = await createFlow(before)
  const endpoint = await createEndpoint(before, project.id, { url: `${receiver.url}/` })
  const query = `project_id=${project.id}`
  const settled = await readCompleted(before, (await send(before, project.id)).id)
  const stored = await readFeed(before, query, {}, 2)
  const scheduled = await send(before, project.id, { send_at: inOneHour() })
  const interrupted = await send(before, project.id, { send_at: inOneHour(), reference: 'interrupted' })
  await receiver.waitFor(({ length }) => length > 0)
  await before.stop()

  const copy = await copyDatabase(before.database)
  onTestFinished(() => copy.remove())
  await onDatabase(copy, async (query) => {
    const [delivery] = await query<{ id: string }>(
      `update deliveries d set status = 'sending', attempt_count = 1, first_attempt_at = now(), attempt_id = d.id from notifications n
       where n.id = d.notification_id and n.reference = 'interrupted' returning d.id`,
    )
    await query(`insert into attempts (id, delivery_id, number, started_at, outcome) values ($1, $1, 1, now(), 'sending')`, [delivery?.id])
  })
  receiver.reply = () => 204
  const requests = receiver.received.length
  const held = await before.restart({ database: copy, env: captured, ...options })
  onTestFinished(() => held.stop())
  // A worker would send the event at once, because its retry is due.
  await new Promise((resolve) => setTimeout(resolve, 800))
  expect(receiver.received).toHaveLength(requests)
  expect((await held.request('GET', endpointPath(endpoint))).json.health.status).toBe('failing')
  expect(await readFeed(held, query)).toEqual(stored)
  await held.stop()

  const canceling = await before.restart({ database: copy, env: { ...captured, FLOWPOST_AFTER_RESTORE: 'cancel' }, ...options })
  onTestFinished(() => canceling.stop())
  const events = await readFeed(canceling, query, {}, 6)
  expect(events.slice(0, 2)).toEqual(stored)
  expect(stored.map(({ data }) => data.notification_id ?? data.id)).toEqual([settled.id, settled.id])
  const canceled = new Map<string, string[]>()
  for (const { type, data } of events.slice(2)) {
    const id = data.notification_id ?? data.id
    canceled.set(id, [...(canceled.get(id) ?? []), `${type} ${data.status} ${data.failure?.code ?? ''}`.trim()])
  }
  expect(canceled.get(scheduled.id)).toEqual(['delivery.canceled canceled restored', 'notification.settled canceled'])
  expect(canceled.get(interrupted.id)?.[0]).toBe('delivery.ambiguous ambiguous restored')
  expect(canceled.get(interrupted.id)?.[1]).toMatch(/^notification\.settled /)
  await receiver.waitFor(({ length }) => length === requests + 6)
  expect(receiver.received.slice(requests).map(({ json }) => json)).toEqual(events)
})
