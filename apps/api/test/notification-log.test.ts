import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { onDatabase } from './support/direct-database.ts'
import { addFlow, createFlow, flowPath, readCompleted, send } from './support/resources.ts'
import { type SmtpReply, type SmtpSink, startSmtpSink } from './support/smtp-sink.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

let smtp: SmtpSink
let server: TestServer
const attempts = new Map<string, number>()
const replies: Readonly<Record<string, readonly SmtpReply[]>> = {
  later: [{ code: 451, text: 'hush-reply' }, 'accept'],
  rejected: [{ code: 550, text: 'hush-reply' }],
  unknown: ['cut'],
}

beforeAll(async () => {
  const reply = (_: number, { to }: { readonly to: readonly string[] }): SmtpReply => {
    const name = to[0]?.split('-')[0] ?? ''
    const count = attempts.get(name) ?? 0
    attempts.set(name, count + 1)
    return replies[name]?.[count] ?? replies[name]?.at(-1) ?? 'accept'
  }
  smtp = await startSmtpSink({ reply })
  server = await startTestServer({
    env: {
      FLOWPOST_SMTP_URL: smtp.url,
      FLOWPOST_EMAIL_FROM: 'sender@example.com',
      FLOWPOST_AMBIGUOUS: 'hold',
      FLOWPOST_CAPTURE: 'missing',
    },
    retryPolicy: { initialWaitMs: 20, maxWaitMs: 20, budgetMs: 60_000 },
  })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await smtp[Symbol.asyncDispose]()
})

const linesOf = (notificationId: string) =>
  server.logged.map((line) => JSON.parse(line)).filter(({ notification_id }) => notification_id === notificationId)
const messagesOf = (notificationId: string): string[] => linesOf(notificationId).map(({ msg }) => msg)
const post = (path: string, id: string) => server.request('POST', path, { headers: { 'X-Request-Id': id } })
const inOneHour = () => new Date(Date.now() + 3_600_000).toISOString()

/**
 * Sends one notification to the target, and waits for its log lines. Returns the lines, and the fields that the lines about its
 * delivery share.
 */
const deliver = async (target: string, { fields = {}, lines = 2 }: { fields?: object; lines?: number } = {}) => {
  const { project } = await createFlow(server, { target: `${target}-hush@example.com`, ...fields })
  const accepted = await server.request('POST', '/v1/notifications', {
    json: { project_id: project.id, subject: 'hush-subject', message: 'hush-message' },
    headers: { 'X-Request-Id': `send-${target}` },
  })
  const { id, deliveries } = await readCompleted(server, accepted.json.id)
  await expect.poll(() => linesOf(id)).toHaveLength(lines)
  const [first, ...rest] = linesOf(id)
  const ids = { notification_id: id, delivery_id: deliveries[0].id, request_id: `send-${target}`, level: 'info' }
  return { id, first, rest, ids }
}

const attempt = (number: number) => ({ attempt: number, duration_ms: expect.any(Number), source_type: 'smtp' })

describe('the log of a notification', () => {
  it('has a line for the acceptance, with the number of deliveries', async () => {
    const { id, first } = await deliver('sent')
    expect(first).toEqual({
      level: 'info',
      time: expect.any(String),
      request_id: 'send-sent',
      notification_id: id,
      deliveries: 1,
      msg: 'Notification accepted.',
    })
  })

  it('has a line for a delivery that is sent', async () => {
    const { rest, ids } = await deliver('sent')
    expect(rest).toEqual([{ ...ids, ...attempt(1), time: expect.any(String), msg: 'Delivery sent.' }])
  })

  it('has a line for a captured message', async () => {
    const { rest, ids } = await deliver('captured', { fields: { source_type: 'slack', target: 'C024BE91L' } })
    expect(rest).toMatchObject([{ ...ids, ...attempt(1), source_type: 'slack', msg: 'Delivery captured.' }])
  })

  it('has a line for each attempt of a delivery that is retried', async () => {
    const { rest, ids } = await deliver('later', { lines: 3 })
    const failure = { failure_kind: 'provider', failure_code: expect.any(String), retry_in_ms: expect.any(Number) }
    expect(rest).toMatchObject([
      { ...ids, ...attempt(1), ...failure, msg: 'Attempt failed; the delivery will be retried.' },
      { ...ids, ...attempt(2), msg: 'Delivery sent.' },
    ])
  })

  it('has a line for a failed delivery and for its retry by request, and the lines of the new attempts have the id of that request', async () => {
    const { id, rest, ids } = await deliver('rejected')
    const failed = { failure_kind: 'content', failure_code: expect.any(String), msg: 'Delivery failed.' }
    expect(rest).toMatchObject([{ ...ids, ...attempt(1), ...failed }])
    const key = { 'Idempotency-Key': 'again', 'X-Request-Id': 'again' }
    for (const _ of ['first', 'replayed']) await server.request('POST', `/v1/notifications/${id}/retry`, { headers: key })
    await readCompleted(server, id)
    await expect.poll(() => linesOf(id)).toHaveLength(4)
    expect(linesOf(id).slice(2)).toMatchObject([
      { notification_id: id, request_id: 'again', msg: 'Notification queued again by an API request.' },
      { ...ids, ...attempt(2), ...failed, request_id: 'again' },
    ])
  })

  it('has a line for a delivery that is held', async () => {
    const { rest, ids } = await deliver('unknown')
    const failure = { failure_kind: 'ambiguous', failure_code: expect.any(String) }
    expect(rest).toMatchObject([{ ...ids, ...attempt(1), ...failure, msg: 'Delivery held: the provider may have accepted the message.' }])
  })

  it('has one line for a cancellation by request', async () => {
    const { project } = await createFlow(server)
    const { id } = await send(server, project.id, { send_at: inOneHour() })
    for (const requestId of ['cancel-1', 'cancel-2']) await post(`/v1/notifications/${id}/cancel`, requestId)
    expect(messagesOf(id)).toEqual(['Notification accepted.', 'Notification canceled by an API request.'])
    expect(linesOf(id)[0].due_at).toEqual(expect.any(String))
    expect(linesOf(id)[1].request_id).toBe('cancel-1')
  })

  it('has a line for a cancellation because the flow was deleted', async () => {
    const { project } = await createFlow(server)
    const flow = await addFlow(server, project.id)
    const { id } = await send(server, project.id, { flow_id: flow.id, send_at: inOneHour() })
    await server.request('DELETE', flowPath(flow), { headers: { 'X-Request-Id': 'delete-flow' } })
    expect(messagesOf(id)).toEqual(['Notification accepted.', 'Deliveries canceled, because their flow or project was deleted.'])
    expect(linesOf(id)[1].request_id).toBe('delete-flow')
  })

  it('contains no content, no target, no text from a provider and no key', () => {
    expect(server.logged.length).toBeGreaterThan(20)
    for (const secret of ['hush', server.keys.alice, 'C024BE91L']) expect(server.logged.filter((line) => line.includes(secret))).toEqual([])
  })
})

describe('the log of a delivery that ends before its next attempt', () => {
  const ids = { expired: '', suppressed: '' }
  const logged = async (id: string) => {
    const { deliveries } = await readCompleted(server, id)
    await expect.poll(() => linesOf(id)).toHaveLength(1)
    return { delivery_id: deliveries[0].id, line: linesOf(id)[0] }
  }

  beforeAll(async () => {
    for (const name of ['expired', 'suppressed'] as const) {
      const { project } = await createFlow(server, { target: `${name}-hush@example.com` })
      const json = { project_id: project.id, subject: 'a', message: 'b', send_at: inOneHour() }
      const accepted = await server.request('POST', '/v1/notifications', { json, headers: { 'X-Request-Id': `send-${name}` } })
      ids[name] = accepted.json.id
      const path = `/v1/settings/projects/${project.id}/suppressions`
      if (name === 'suppressed') await server.request('POST', path, { json: { target: 'suppressed-hush@example.com' } })
    }
    await server.stop()
    await onDatabase(server.database, async (query) => {
      await query('update delivery_jobs set due_at = now()')
      await query(`update delivery_jobs set expires_at = now() where request_id = 'send-expired'`)
    })
    server = await server.restart()
  })

  it.each([
    ['an expired notification', 'expired', 'expired', 'Delivery canceled: the notification has expired.'],
    ['a recipient that was suppressed after the acceptance', 'suppressed', 'target', 'Delivery failed: the recipient is suppressed.'],
  ] as const)('has a line for %s', async (_, name, kind, msg) => {
    const { delivery_id, line } = await logged(ids[name])
    expect(line).toEqual({
      level: 'info',
      time: expect.any(String),
      notification_id: ids[name],
      delivery_id,
      request_id: `send-${name}`,
      source_type: 'smtp',
      failure_kind: kind,
      failure_code: name,
      msg,
    })
  })
})
