import { createFlowpost, type FlowpostError } from '@flowpost/client'
import { createFlowpostMock } from '@flowpost/testing'
import { expect, it } from 'vitest'
import { createFlow, send, waitForDeliveryStatus } from './support/resources.ts'
import { startSmtpSink } from './support/smtp-sink.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

const nextMonth = () => new Date(Date.now() + 29 * 24 * 3_600_000).toISOString()

const createProjectWithFlow = async (server: TestServer, key: string): Promise<string> => {
  const { json } = await server.request('POST', '/v1/settings/projects', { json: { name: "bob's" }, key })
  const flow = { name: 'Operations', source_type: 'smtp', target: 'ops@example.com' }
  expect((await server.request('POST', `/v1/settings/projects/${json.id}/flows`, { json: flow, key })).status).toBe(201)
  return json.id
}

it('counts scheduled messages per user and separately from due ones, even after a restart', async () => {
  await using first = await startTestServer({ env: { FLOWPOST_QUEUE_LIMIT: '10' } })
  const { project } = await createFlow(first)
  for (let sent = 0; sent < 5; sent += 1) await send(first, project.id, { send_at: nextMonth() })
  await first.stop()

  const server = await first.restart()
  const bobsProjectId = await createProjectWithFlow(server, server.keys.bob)
  const sendTo = async (projectId: string, key: string, fields: object) =>
    (await server.request('POST', '/v1/notifications', { json: { project_id: projectId, subject: 's', message: 'm', ...fields }, key }))
      .json
  expect(await sendTo(project.id, server.keys.alice, { send_at: nextMonth() })).toMatchObject({ code: 'queue_full' })
  expect(await sendTo(project.id, server.keys.alice, {})).toMatchObject({ status: 'queued' })
  expect(await sendTo(bobsProjectId, server.keys.bob, {})).toMatchObject({ status: 'queued' })
  expect(await sendTo(bobsProjectId, server.keys.bob, { send_at: nextMonth() })).toMatchObject({ status: 'queued' })
  await server.stop()
})

it('counts messages that wait for a failing provider as due, not as scheduled', async () => {
  await using smtp = await startSmtpSink({ reply: () => ({ code: 451, text: 'Try again later.' }) })
  await using first = await startTestServer({
    retryPolicy: { initialWaitMs: 3_600_000, maxWaitMs: 3_600_000, budgetMs: 86_400_000 },
    env: { FLOWPOST_QUEUE_LIMIT: '6', FLOWPOST_SMTP_URL: smtp.url, FLOWPOST_EMAIL_FROM: 'a@example.com' },
  })
  const { project } = await createFlow(first)
  for (let sent = 0; sent < 3; sent += 1) await waitForDeliveryStatus(first, (await send(first, project.id)).id, 'retrying')
  await first.stop()

  // The restarted server counts the deliveries before it accepts requests.
  const server = await first.restart()
  const bobsProjectId = await createProjectWithFlow(server, server.keys.bob)
  const json = { subject: 's', message: 'm' }
  const sendAs = async (key: string, project_id: string, fields: object) => {
    const response = await server.request('POST', '/v1/notifications', { json: { ...json, project_id, ...fields }, key })
    return response.json.code ?? response.json.status
  }
  expect(await sendAs(server.keys.alice, project.id, {})).toBe('queue_full')
  for (const [key, projectId] of [
    [server.keys.alice, project.id],
    [server.keys.bob, bobsProjectId],
  ] as const)
    for (let sent = 0; sent < 3; sent += 1) expect(await sendAs(key, projectId, { send_at: nextMonth() })).toBe('queued')
  expect(await sendAs(server.keys.bob, bobsProjectId, {})).toBe('queued')
  await server.stop()
})

/** Clients for two users, of either a server or a mock. */
interface Side {
  readonly alice: ReturnType<typeof createFlowpost>
  readonly bob: ReturnType<typeof createFlowpost>
}

/** Sends due and scheduled messages of two users with a queue limit of 3, and returns the results. */
const fillQueue = async (side: Side): Promise<unknown[]> => {
  const send_at = nextMonth()
  const prepare = async (user: keyof Side) => {
    const { id: project_id } = await side[user].projects.create({ name: 'billing' })
    await side[user].flows.create(project_id, { name: 'Operations', source_type: 'smtp', target: 'ops@example.com' })
    return { client: side[user], body: { project_id, subject: 's', message: 'm' } }
  }
  const users = { alice: await prepare('alice'), bob: await prepare('bob') }
  const send = ({ client, body }: typeof users.alice, fields: object) =>
    client.notifications.send({ ...body, ...fields }).then(
      ({ status }) => status,
      ({ status, code, message, retryAfterMs }: FlowpostError) => ({ status, code, message, retryAfterMs }),
    )
  const results: unknown[] = []
  for (const [user, fields] of [
    [users.alice, { send_at }],
    [users.alice, { send_at }],
    [users.alice, { send_at }],
    [users.bob, { send_at }],
    [users.bob, { send_at }],
    [users.alice, {}],
    [users.bob, {}],
  ] as const)
    results.push(await send(user, fields))
  // The preview of a rejected notification is not limited.
  results.push((await users.alice.client.notifications.preview({ ...users.alice.body, send_at })).flows.length)
  return results
}

it('rejects the same messages in the server and in the mock, with the same texts', async () => {
  await using server = await startTestServer({ env: { FLOWPOST_QUEUE_LIMIT: '3' } })
  const mock = createFlowpostMock({ queueLimit: 3, capture: 'missing', credentials: [] })
  const clientOf = (apiKey: string) => createFlowpost({ baseUrl: server.url, apiKey, maxRetries: 0 })
  const full = (detail: string) => ({
    status: 503,
    code: 'queue_full',
    message: expect.stringContaining(detail),
    retryAfterMs: 10_000,
  })
  const expected = [
    'queued',
    'queued',
    full('Too many of your messages are waiting to be delivered. Try again later.'),
    'queued',
    full('Too many messages are waiting to be delivered. Try again later.'),
    'queued',
    'queued',
    1,
  ]
  const fromServer = await fillQueue({ alice: clientOf(server.keys.alice), bob: clientOf(server.keys.bob) })
  const fromMock = await fillQueue({ alice: mock.client({ maxRetries: 0 }), bob: mock.client({ user: 'bob', maxRetries: 0 }) })
  expect(fromServer).toEqual(expected)
  expect(fromMock).toEqual(fromServer)
})
