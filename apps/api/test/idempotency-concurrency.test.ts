import { randomBytes } from 'node:crypto'
import { expect, inject, it } from 'vitest'
import { createServerProcess } from './crash/processes.ts'
import { createEndpoint, endpointPath, eventEnv } from './support/event-endpoints.ts'
import { startEventReceiver } from './support/event-receiver.ts'
import { createFlow, readCompleted } from './support/resources.ts'
import { loopbackEgress } from './support/smtp-auth-server.ts'
import { startSmtpSink } from './support/smtp-sink.ts'
import { createTestDatabase } from './support/test-database.ts'
import { startTestServer } from './support/test-server.ts'

const requestCount = 200

it('200 concurrent requests with one idempotency key create one notification and one delivery', async () => {
  await using smtp = await startSmtpSink()
  await using server = await startTestServer({
    env: { FLOWPOST_SMTP_URL: smtp.url, FLOWPOST_EMAIL_FROM: 'noreply@example.com', FLOWPOST_RATE_LIMIT: 'off' },
  })
  // The embedded database allows only one process.
  const second = server.database.url === undefined ? undefined : await server.restart()
  const { project } = await createFlow(server)
  const responses = await Promise.all(
    Array.from({ length: requestCount }, (_, number) =>
      (number % 2 === 0 ? server : (second ?? server)).request('POST', '/v1/notifications', {
        json: { project_id: project.id, subject: 'once', message: 'x' },
        headers: { 'Idempotency-Key': 'the-same' },
      }),
    ),
  )
  const { json } = await server.request('GET', `/v1/notifications?project_id=${project.id}`)
  await readCompleted(server, json.data[0].id)
  await second?.stop()

  const accepted = responses.filter(({ status }) => status === 202)
  expect(new Set(accepted.map(({ json }) => json.id)).size).toBe(1)
  expect(accepted.filter(({ headers }) => headers.get('idempotency-replayed') === null)).toHaveLength(1)
  const rejected = responses.filter(({ status }) => status !== 202)
  expect(rejected.filter(({ status, json }) => status !== 409 || json.code !== 'idempotency_in_progress')).toEqual([])
  expect(json.data).toHaveLength(1)
  expect(smtp.received).toHaveLength(1)
})

it('two concurrent tests of an event endpoint with one idempotency key return the same attempt', async () => {
  await using receiver = await startEventReceiver()
  await using server = await startTestServer({ env: eventEnv, egress: loopbackEgress })
  const { project } = await createFlow(server)
  const endpoint = await createEndpoint(server, project.id, { url: receiver.url })
  const test = () => server.request('POST', `${endpointPath(endpoint)}/test`, { headers: { 'Idempotency-Key': 'ping-1' } })
  // The first ping gets a response once both have arrived, and the second once the request of the first has ended.
  receiver.reply = async (event) => {
    await receiver.waitFor(({ length }) => length === 2)
    if (event === receiver.received[0]) return 500
    await Promise.race(requests)
    return 204
  }
  const requests = [test(), test()]
  const responses = [...(await Promise.all(requests)), await test()]

  expect(receiver.received).toHaveLength(2)
  expect(responses.map(({ status, json }) => [status, json.status])).toEqual(Array.from({ length: 3 }, () => [200, 500]))
  expect(new Set(responses.map(({ json }) => json.id)).size).toBe(1)
  expect(responses.filter(({ headers }) => headers.get('idempotency-replayed') === null)).toHaveLength(1)
})

it.runIf(inject('postgres'))(
  '200 concurrent requests with one idempotency key to two API processes create one notification and one delivery',
  async () => {
    await using smtp = await startSmtpSink()
    const database = await createTestDatabase()
    const key = `fp_${randomBytes(24).toString('base64url')}`
    const env = {
      ...database.env,
      FLOWPOST_BOOTSTRAP_KEYS: `alice:${key}`,
      FLOWPOST_SMTP_URL: smtp.url,
      FLOWPOST_EMAIL_FROM: 'noreply@example.com',
      FLOWPOST_CAPTURE: 'off',
    }
    const processes = await Promise.all(['api', 'api', 'worker'].map((FLOWPOST_ROLE) => createServerProcess({ ...env, FLOWPOST_ROLE })))
    const request = async (index: number, method: string, path: string, json?: object, headers: object = {}) => {
      const response = await fetch(`${processes[index]?.url}${path}`, {
        method,
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...headers },
        ...(json ? { body: JSON.stringify(json) } : {}),
      })
      return { status: response.status, body: (await response.json()) as { id: string; code: string; data: object[] } }
    }
    try {
      await Promise.all(processes.map((process) => process.start()))
      const project = await request(0, 'POST', '/v1/settings/projects', { name: 'storm' })
      const flow = { name: 'mail', source_type: 'smtp', target: 'ops@example.com' }
      await request(0, 'POST', `/v1/settings/projects/${project.body.id}/flows`, flow)
      const message = { project_id: project.body.id, subject: 'once', message: 'x' }
      const send = (index: number) => request(index, 'POST', '/v1/notifications', message, { 'Idempotency-Key': 'storm-1' })
      const responses = await Promise.all(Array.from({ length: requestCount }, (_, number) => send(number % 2)))

      const accepted = responses.filter(({ status }) => status === 202)
      expect(accepted.length).toBeGreaterThan(0)
      expect(new Set(accepted.map(({ body }) => body.id)).size).toBe(1)
      const rejected = responses.filter(({ status }) => status !== 202)
      expect(rejected.filter(({ status, body }) => status !== 409 || body.code !== 'idempotency_in_progress')).toEqual([])
      expect((await request(1, 'GET', `/v1/notifications/${accepted[0]?.body.id}?wait=30`)).body).toMatchObject({ status: 'sent' })
      expect((await request(1, 'GET', '/v1/notifications')).body.data).toHaveLength(1)
      expect(smtp.received).toHaveLength(1)
    } finally {
      await Promise.all(processes.map((process) => process.kill()))
      await database.remove()
    }
  },
)
