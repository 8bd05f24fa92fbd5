import { describe, expect, it } from 'vitest'
import { setJobsDue } from './support/delivery-jobs.ts'
import { addFlow, createFlow, readCompleted, send, waitForDeliveryStatus } from './support/resources.ts'
import { startSlackServer } from './support/slack-server.ts'
import { quickRetries, startWithSmtp, useSmtp } from './support/smtp-deployment.ts'
import { startTestServer } from './support/test-server.ts'

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()

describe('a delivery', () => {
  const useReplies = useSmtp()

  it('fails at its first attempt, with the reason, when it is rejected permanently', async () => {
    const setup = useReplies(() => ({ code: 550, text: '5.1.1 No such user' }))
    const { project } = await createFlow(setup.server)
    const notification = await readCompleted(setup.server, (await send(setup.server, project.id)).id)

    expect(notification.status).toBe('failed')
    expect(notification.deliveries[0]).toMatchObject({
      status: 'failed',
      attempt_count: 1,
      next_attempt_at: null,
      failure: { kind: 'target', retryable: false },
    })
    expect(setup.received()).toHaveLength(1)
  })

  it('is retried after temporary rejections, with the same Message-ID, until it is sent', async () => {
    const setup = useReplies((number) => (number < 3 ? { code: 451, text: '4.3.0 Try again later' } : 'accept'))
    const { project } = await createFlow(setup.server)
    const notification = await readCompleted(setup.server, (await send(setup.server, project.id)).id)

    expect(notification.deliveries[0]).toMatchObject({ status: 'sent', attempt_count: 3, failure: null })
    expect(notification.deliveries[0].attempts.map((attempt: { outcome: string }) => attempt.outcome)).toEqual([
      'retrying',
      'retrying',
      'sent',
    ])
    expect(new Set(setup.received().map(({ messageId }) => messageId)).size).toBe(1)
  })

  it('fails when its retry budget is exhausted', async () => {
    await using setup = await startWithSmtp(() => ({ code: 451, text: '4.3.0 Try again later' }), {
      retryPolicy: { initialWaitMs: 20, maxWaitMs: 50, budgetMs: 800 },
    })
    const { project } = await createFlow(setup.server)
    const notification = await readCompleted(setup.server, (await send(setup.server, project.id)).id)

    expect(notification.deliveries[0]).toMatchObject({ status: 'failed', failure: { kind: 'provider', retryable: true } })
    expect(notification.deliveries[0].attempt_count).toBeGreaterThan(1)
  })

  it('is retried with the policy `retry` when the response is lost', async () => {
    const setup = useReplies((number) => (number === 1 ? 'cut' : 'accept'))
    const { project } = await createFlow(setup.server)
    const notification = await readCompleted(setup.server, (await send(setup.server, project.id)).id)

    expect(notification.deliveries[0]).toMatchObject({ status: 'sent', attempt_count: 2 })
    expect(new Set(setup.received().map(({ messageId }) => messageId)).size).toBe(1)
  })

  it('ends as ambiguous with the policy `hold` when the response is lost, and can be retried by request', async () => {
    await using setup = await startWithSmtp((number) => (number === 1 ? 'cut' : 'accept'), { env: { FLOWPOST_AMBIGUOUS: 'hold' } })
    const { project } = await createFlow(setup.server)
    const { id } = await send(setup.server, project.id)
    const ambiguous = await readCompleted(setup.server, id)
    expect(ambiguous).toMatchObject({ status: 'failed', deliveries: [{ status: 'ambiguous', failure: { kind: 'ambiguous' } }] })
    expect(setup.smtp.received).toHaveLength(1)

    const retried = await setup.server.request('POST', `/v1/notifications/${id}/retry`)
    expect(retried.status).toBe(202)
    expect(await readCompleted(setup.server, id)).toMatchObject({ status: 'sent', deliveries: [{ status: 'sent', attempt_count: 2 }] })
  })

  it('does not delay other deliveries while its SMTP server does not respond', async () => {
    await using setup = await startWithSmtp((number) => (number === 1 ? 'stall' : 'accept'), { shutdownGraceMs: 0 })
    const { project } = await createFlow(setup.server)
    const stalled = await send(setup.server, project.id)
    await setup.smtp.waitForMessages(1)
    const { project: otherProject } = await createFlow(setup.server)
    await readCompleted(setup.server, (await send(setup.server, otherProject.id)).id)
    const { json } = await setup.server.request('GET', `/v1/notifications/${stalled.id}`)

    expect(json.deliveries[0]).toMatchObject({ status: 'sending', attempt_count: 1 })
  })

  it('is retried after the send timeout when its SMTP server does not respond', async () => {
    await using setup = await startWithSmtp((number) => (number === 1 ? 'stall' : 'accept'), { sendTimeoutMs: 1_000 })
    const { project } = await createFlow(setup.server)
    const notification = await readCompleted(setup.server, (await send(setup.server, project.id)).id)

    expect(notification.deliveries[0]).toMatchObject({ status: 'sent', attempt_count: 2 })
  })

  it('is retried after the time in Retry-After', async () => {
    await using slack = await startSlackServer((number) =>
      number === 1 ? { status: 429, headers: { 'Retry-After': '1' }, body: { ok: false, error: 'ratelimited' } } : {},
    )
    await using server = await startTestServer({ retryPolicy: quickRetries, env: slack.env })
    const { project } = await createFlow(server, { source_type: 'slack', target: 'C024BE91L' })
    const notification = await readCompleted(server, (await send(server, project.id)).id)

    expect(notification.deliveries[0]).toMatchObject({ status: 'sent', attempt_count: 2 })
    expect((slack.received[1]?.at ?? 0) - (slack.received[0]?.at ?? 0)).toBeGreaterThanOrEqual(1_000)
  })

  it('to a chat channel starts at most once a second, across all workers', async () => {
    await using slack = await startSlackServer()
    await using server = await startTestServer({ env: slack.env })
    const second = server.database.url === undefined ? undefined : await server.restart()
    const { project } = await createFlow(server, { source_type: 'slack', target: 'C024BE91L' })
    const sent = await Promise.all(Array.from({ length: 4 }, () => send(server, project.id)))
    for (const { id } of sent) await readCompleted(server, id)
    await second?.stop()

    // The servers share this process, which makes the times inexact. The soak test checks the exact limit.
    const starts = slack.received.map(({ at }) => at)
    expect(starts).toHaveLength(4)
    for (const [index, at] of starts.slice(1).entries()) expect(at - (starts[index] ?? 0)).toBeGreaterThanOrEqual(600)
  })

  it('finishes and is recorded when it is in flight at a shutdown', async () => {
    await using setup = await startWithSmtp(() => ({ code: 250, text: 'ok', afterMs: 700 }))
    const { project } = await createFlow(setup.server)
    const { id } = await send(setup.server, project.id)
    await setup.smtp.waitForMessages(1)
    await setup.server.stop()
    const next = await setup.server.restart()
    const { json } = await next.request('GET', `/v1/notifications/${id}`)
    await next.stop()

    expect(json).toMatchObject({ status: 'sent', deliveries: [{ attempt_count: 1 }] })
    expect(setup.smtp.received).toHaveLength(1)
  })

  it('is sent by the next process when it takes longer than the shutdown grace period', async () => {
    await using setup = await startWithSmtp((number) => (number === 1 ? 'stall' : 'accept'), { shutdownGraceMs: 100 })
    const { project } = await createFlow(setup.server)
    const { id } = await send(setup.server, project.id)
    await setup.smtp.waitForMessages(1)
    await setup.server.stop()
    const next = await setup.server.restart()
    const notification = await readCompleted(next, id)
    await next.stop()

    expect(notification).toMatchObject({ status: 'sent', deliveries: [{ attempts: [{ outcome: 'retrying' }, { outcome: 'sent' }] }] })
    expect(new Set(setup.smtp.received.map(({ messageId }) => messageId)).size).toBe(1)
  })

  it('fails and is not captured when its credential is removed after acceptance', async () => {
    await using setup = await startWithSmtp(() => 'accept')
    const { project } = await createFlow(setup.server)
    const { id } = await send(setup.server, project.id, { send_at: inAnHour() })
    await setup.server.stop()
    await setJobsDue(setup.server.database)
    const next = await setup.server.restart({ env: {} })
    const notification = await readCompleted(next, id)
    await next.stop()

    expect(notification.deliveries[0]).toMatchObject({ status: 'failed', captured: false, failure: { kind: 'credential' } })
  })
})

describe('cancellation', () => {
  it('prevents pending deliveries, and returns their status', async () => {
    await using setup = await startWithSmtp(() => 'accept')
    const { project } = await createFlow(setup.server)
    const { id } = await send(setup.server, project.id, { send_at: inAnHour() })
    const canceled = await setup.server.request('POST', `/v1/notifications/${id}/cancel`)
    expect(canceled).toMatchObject({
      status: 200,
      json: { status: 'canceled', deliveries: [{ status: 'canceled', next_attempt_at: null }] },
    })
    const again = await setup.server.request('POST', `/v1/notifications/${id}/cancel`)
    expect(again.json).toEqual(canceled.json)

    const { id: pendingId } = await send(setup.server, project.id, { send_at: inAnHour() })
    await setup.server.stop()
    await setJobsDue(setup.server.database)
    const next = await setup.server.restart()
    await readCompleted(next, pendingId)
    await next.stop()
    expect(setup.smtp.received).toHaveLength(1)
  })

  it('follows the deletion of a flow or project, and the notifications stay readable', async () => {
    await using setup = await startWithSmtp(() => 'accept')
    const { project, flow } = await createFlow(setup.server)
    await addFlow(setup.server, project.id, { target: 'second@example.com' })
    const { id } = await send(setup.server, project.id, { send_at: inAnHour() })

    expect((await setup.server.request('DELETE', `/v1/settings/projects/${project.id}/flows/${flow.id}`)).status).toBe(204)
    const afterFlow = (await setup.server.request('GET', `/v1/notifications/${id}`)).json
    expect(afterFlow.deliveries.map((delivery: { status: string }) => delivery.status).sort()).toEqual(['canceled', 'queued'])

    expect((await setup.server.request('DELETE', `/v1/settings/projects/${project.id}`)).status).toBe(204)
    expect((await setup.server.request('GET', `/v1/notifications/${id}`)).json.status).toBe('canceled')
    expect((await setup.server.request('GET', `/v1/notifications?project_id=${project.id}`)).json.data).toHaveLength(1)
  })
})

describe('GET /v1/notifications/{id}?wait', () => {
  it('returns when the notification is completed', async () => {
    await using setup = await startWithSmtp(() => ({ code: 250, text: 'ok', afterMs: 300 }))
    const { project } = await createFlow(setup.server)
    const startedAt = Date.now()
    const { id } = await send(setup.server, project.id)
    const { json } = await setup.server.request('GET', `/v1/notifications/${id}?wait=60`)
    expect(json.status).toBe('sent')
    expect(Date.now() - startedAt).toBeLessThan(60_000)
  })

  it('returns the current status when the wait ends or the server stops', async () => {
    await using setup = await startWithSmtp(() => 'accept')
    const { project } = await createFlow(setup.server)
    const { id } = await send(setup.server, project.id, { send_at: inAnHour() })
    expect((await setup.server.request('GET', `/v1/notifications/${id}?wait=1`)).json.status).toBe('queued')
    const waiting = setup.server.request('GET', `/v1/notifications/${id}?wait=60`)
    await waitForDeliveryStatus(setup.server, id, 'queued')
    await setup.server.stop()
    expect((await waiting).json.status).toBe('queued')
  })
})
