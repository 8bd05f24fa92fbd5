import { describe, expect, it } from 'vitest'
import { addFlow, createFlow, readCompleted, send, waitForDeliveryStatus } from './support/resources.ts'
import { startSlackServer } from './support/slack-server.ts'
import { type SmtpReply, startSmtpSink } from './support/smtp-sink.ts'
import { startTestServer, type TestServerOptions } from './support/test-server.ts'

const quickRetries = { initialWaitMs: 50, maxWaitMs: 200, budgetMs: 60_000 }

const withSmtp = async (reply: (number: number) => SmtpReply, options: TestServerOptions = {}) => {
  const smtp = await startSmtpSink({ reply })
  const server = await startTestServer({
    retryPolicy: quickRetries,
    ...options,
    env: { FLOWPOST_SMTP_URL: smtp.url, FLOWPOST_EMAIL_FROM: 'noreply@example.com', ...options.env },
  })
  return {
    smtp,
    server,
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]()
      await smtp[Symbol.asyncDispose]()
    },
  }
}

describe('a delivery', () => {
  it('that is refused for good fails at its first attempt, and says why', async () => {
    await using it = await withSmtp(() => ({ code: 550, text: '5.1.1 No such user' }))
    const { project } = await createFlow(it.server)
    const notification = await readCompleted(it.server, (await send(it.server, project.id)).id)

    expect(notification.status).toBe('failed')
    expect(notification.deliveries[0]).toMatchObject({
      status: 'failed',
      attempt_count: 1,
      next_attempt_at: null,
      failure: { kind: 'target', retryable: false },
    })
    expect(it.smtp.received).toHaveLength(1)
  })

  it('that is refused for now is tried again, with the same Message-ID, until it is sent', async () => {
    await using it = await withSmtp((number) => (number < 3 ? { code: 451, text: '4.3.0 Try again later' } : 'accept'))
    const { project } = await createFlow(it.server)
    const notification = await readCompleted(it.server, (await send(it.server, project.id)).id)

    expect(notification.deliveries[0]).toMatchObject({ status: 'sent', attempt_count: 3, failure: null })
    expect(notification.deliveries[0].attempts.map((attempt: { outcome: string }) => attempt.outcome)).toEqual([
      'retrying',
      'retrying',
      'sent',
    ])
    expect(new Set(it.smtp.received.map(({ messageId }) => messageId)).size).toBe(1)
  })

  it('fails when its budget of retries is used up', async () => {
    await using it = await withSmtp(() => ({ code: 451, text: '4.3.0 Try again later' }), {
      retryPolicy: { initialWaitMs: 20, maxWaitMs: 50, budgetMs: 300 },
    })
    const { project } = await createFlow(it.server)
    const notification = await readCompleted(it.server, (await send(it.server, project.id)).id)

    expect(notification.deliveries[0]).toMatchObject({ status: 'failed', failure: { kind: 'provider', retryable: true } })
    expect(notification.deliveries[0].attempt_count).toBeGreaterThan(1)
  })

  it('whose connection is cut after the final dot is tried again under the policy retry', async () => {
    await using it = await withSmtp((number) => (number === 1 ? 'cut' : 'accept'))
    const { project } = await createFlow(it.server)
    const notification = await readCompleted(it.server, (await send(it.server, project.id)).id)

    expect(notification.deliveries[0]).toMatchObject({ status: 'sent', attempt_count: 2 })
    expect(new Set(it.smtp.received.map(({ messageId }) => messageId)).size).toBe(1)
  })

  it('whose connection is cut after the final dot ends as ambiguous under the policy hold, until somebody retries it', async () => {
    await using it = await withSmtp((number) => (number === 1 ? 'cut' : 'accept'), { env: { FLOWPOST_AMBIGUOUS: 'hold' } })
    const { project } = await createFlow(it.server)
    const { id } = await send(it.server, project.id)
    const held = await readCompleted(it.server, id)
    expect(held).toMatchObject({ status: 'failed', deliveries: [{ status: 'ambiguous', failure: { kind: 'ambiguous' } }] })
    expect(it.smtp.received).toHaveLength(1)

    const retried = await it.server.request('POST', `/v1/notifications/${id}/retry`)
    expect(retried.status).toBe(202)
    expect(await readCompleted(it.server, id)).toMatchObject({ status: 'sent', deliveries: [{ status: 'sent', attempt_count: 2 }] })
  })

  it('to a server that stalls for ever is given up in time, and does not hold up the others', async () => {
    await using it = await withSmtp((number) => (number === 1 ? 'stall' : 'accept'), { sendTimeoutMs: 8_000 })
    const stalled = await createFlow(it.server)
    const first = await send(it.server, stalled.project.id)
    await it.smtp.arrived(1)
    const other = await createFlow(it.server)
    await readCompleted(it.server, (await send(it.server, other.project.id)).id)
    const meanwhile = await it.server.request('GET', `/v1/notifications/${first.id}`)
    expect(meanwhile.json.deliveries[0]).toMatchObject({ status: 'sending', attempt_count: 1 })

    expect((await readCompleted(it.server, first.id)).deliveries[0]).toMatchObject({ status: 'sent', attempt_count: 2 })
  })

  it('waits as long as the provider asks for', async () => {
    await using slack = await startSlackServer((number) =>
      number === 1 ? { status: 429, headers: { 'Retry-After': '5' }, body: { ok: false, error: 'ratelimited' } } : {},
    )
    await using server = await startTestServer({ retryPolicy: quickRetries, env: slack.env })
    const { project } = await createFlow(server, { source_type: 'slack', target: 'C024BE91L' })
    const notification = await readCompleted(server, (await send(server, project.id)).id)

    expect(notification.deliveries[0]).toMatchObject({ status: 'sent', attempt_count: 2 })
    expect((slack.received[1]?.at ?? 0) - (slack.received[0]?.at ?? 0)).toBeGreaterThanOrEqual(5_000)
  })

  it('to one chat channel starts at most once a second, whichever worker sends it', async () => {
    await using slack = await startSlackServer()
    await using server = await startTestServer({ env: slack.env })
    const second = server.database.url === undefined ? undefined : await server.restart()
    const { project } = await createFlow(server, { source_type: 'slack', target: 'C024BE91L' })
    const sent = await Promise.all(Array.from({ length: 4 }, () => send(server, project.id)))
    for (const { id } of sent) await readCompleted(server, id)
    await second?.stop()

    // The servers share this process, so what is measured here is blurred; the long run holds the exact bound.
    const starts = slack.received.map(({ at }) => at)
    expect(starts).toHaveLength(4)
    for (const [index, at] of starts.slice(1).entries()) expect(at - (starts[index] ?? 0)).toBeGreaterThanOrEqual(600)
  })

  it('that is under way at a shutdown is finished and recorded', async () => {
    await using it = await withSmtp(() => ({ code: 250, text: 'ok', afterMs: 700 }))
    const { project } = await createFlow(it.server)
    const { id } = await send(it.server, project.id)
    await it.smtp.arrived(1)
    await it.server.stop()
    const next = await it.server.restart()
    const { json } = await next.request('GET', `/v1/notifications/${id}`)
    await next.stop()

    expect(json).toMatchObject({ status: 'sent', deliveries: [{ attempt_count: 1 }] })
    expect(it.smtp.received).toHaveLength(1)
  })

  it('that takes longer than the grace of a shutdown is handed back, and sent by the next process', async () => {
    await using it = await withSmtp((number) => (number === 1 ? 'stall' : 'accept'), { sendTimeoutMs: 19_000 })
    const { project } = await createFlow(it.server)
    const { id } = await send(it.server, project.id)
    await it.smtp.arrived(1)
    await it.server.stop()
    const next = await it.server.restart()
    const notification = await readCompleted(next, id)
    await next.stop()

    expect(notification).toMatchObject({ status: 'sent', deliveries: [{ attempts: [{ outcome: 'retrying' }, { outcome: 'sent' }] }] })
    expect(new Set(it.smtp.received.map(({ messageId }) => messageId)).size).toBe(1)
  })

  it('fails, and is never captured, when its credential was removed after acceptance', async () => {
    await using it = await withSmtp(() => 'accept')
    const { project } = await createFlow(it.server)
    const { id } = await send(it.server, project.id, { send_at: new Date(Date.now() + 5_000).toISOString() })
    await it.server.stop()
    const next = await it.server.restart({ env: {} })
    const notification = await readCompleted(next, id)
    await next.stop()

    expect(notification.deliveries[0]).toMatchObject({ status: 'failed', captured: false, failure: { kind: 'credential' } })
  })
})

describe('canceling', () => {
  it('stops what waits, and says so', async () => {
    await using it = await withSmtp(() => 'accept')
    const { project } = await createFlow(it.server)
    const { id } = await send(it.server, project.id, { send_at: new Date(Date.now() + 5_000).toISOString() })
    const canceled = await it.server.request('POST', `/v1/notifications/${id}/cancel`)
    expect(canceled).toMatchObject({
      status: 200,
      json: { status: 'canceled', deliveries: [{ status: 'canceled', next_attempt_at: null }] },
    })
    const again = await it.server.request('POST', `/v1/notifications/${id}/cancel`)
    expect(again.json).toEqual(canceled.json)

    await readCompleted(it.server, (await send(it.server, project.id, { send_at: new Date(Date.now() + 6_000).toISOString() })).id)
    expect(it.smtp.received).toHaveLength(1)
  })

  it('happens with the deletion of a flow or a project, whose log stays readable', async () => {
    await using it = await withSmtp(() => 'accept')
    const { project, flow } = await createFlow(it.server)
    await addFlow(it.server, project.id, { target: 'second@example.com' })
    const later = new Date(Date.now() + 60_000).toISOString()
    const { id } = await send(it.server, project.id, { send_at: later })

    expect((await it.server.request('DELETE', `/v1/settings/projects/${project.id}/flows/${flow.id}`)).status).toBe(204)
    const half = (await it.server.request('GET', `/v1/notifications/${id}`)).json
    expect(half.deliveries.map((delivery: { status: string }) => delivery.status).sort()).toEqual(['canceled', 'queued'])

    expect((await it.server.request('DELETE', `/v1/settings/projects/${project.id}`)).status).toBe(204)
    expect((await it.server.request('GET', `/v1/notifications/${id}`)).json.status).toBe('canceled')
    expect((await it.server.request('GET', `/v1/notifications?project_id=${project.id}`)).json.data).toHaveLength(1)
  })
})

describe('waiting', () => {
  it('ends when the notification settles, long before its seconds are over', async () => {
    await using it = await withSmtp(() => ({ code: 250, text: 'ok', afterMs: 300 }))
    const { project } = await createFlow(it.server)
    const startedAt = Date.now()
    const { id } = await send(it.server, project.id)
    const { json } = await it.server.request('GET', `/v1/notifications/${id}?wait=20`)
    expect(json.status).toBe('sent')
    expect(Date.now() - startedAt).toBeLessThan(20_000)
  })

  it('ends with the state as it is when the seconds are over or the server stops', async () => {
    await using it = await withSmtp(() => 'accept')
    const { project } = await createFlow(it.server)
    const { id } = await send(it.server, project.id, { send_at: new Date(Date.now() + 60_000).toISOString() })
    expect((await it.server.request('GET', `/v1/notifications/${id}?wait=1`)).json.status).toBe('queued')
    const waiting = it.server.request('GET', `/v1/notifications/${id}?wait=60`)
    await waitForDeliveryStatus(it.server, id, 'queued')
    await it.server.stop()
    expect((await waiting).json.status).toBe('queued')
  })
})
