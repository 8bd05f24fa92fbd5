import { describe, expect, it } from 'vitest'
import type { MockOptions } from '../mock.ts'
import { createFlowpostMock, type FlowpostMock } from '../mock.ts'

const target = 'ops@example.com'

const send = async (options: MockOptions = {}, prepare: (mock: FlowpostMock) => void = () => {}) => {
  const mock = createFlowpostMock({ time: 'manual', ...options })
  const flow = mock.seed.flow({ target })
  prepare(mock)
  const flowpost = mock.client()
  const { id } = await flowpost.notifications.send({ project_id: flow.project_id, subject: 'a', message: 'b' })
  return { mock, flow, flowpost, id, read: () => flowpost.notifications.get(id) }
}

describe('a delivery', () => {
  it('is sent immediately without faults', async () => {
    const { read, mock } = await send()
    expect(await read()).toMatchObject({
      status: 'sent',
      deliveries: [{ status: 'sent', attempt_count: 1, failure: null, next_attempt_at: null }],
    })
    expect(mock.outbox).toHaveLength(1)
  })

  it('fails permanently when it bounces', async () => {
    const { read, mock } = await send({}, ({ faults }) => faults.deliveriesTo(target, 'bounce'))
    expect(await read()).toMatchObject({
      status: 'failed',
      deliveries: [{ status: 'failed', attempt_count: 1, failure: { kind: 'target', code: '5.1.1', retryable: false }, sent_at: null }],
    })
    expect(mock.outbox).toEqual([])
  })

  it('is retried until its provider is available again', async () => {
    const { read, mock } = await send({}, ({ faults }) => faults.deliveriesTo(target, { fail: 'outage', times: 2 }))
    const waiting = await read()
    expect(waiting).toMatchObject({
      status: 'sending',
      deliveries: [{ status: 'retrying', attempt_count: 1, failure: { kind: 'provider' } }],
    })
    // Full jitter: at most 5 s before the second attempt, at most 10 s before the third.
    expect(Date.parse(waiting.deliveries[0]?.next_attempt_at ?? '') - mock.clock.now()).toBeLessThanOrEqual(5_000)
    await mock.clock.advance(5_000)
    expect(await read()).toMatchObject({ deliveries: [{ status: 'retrying', attempt_count: 2 }] })
    await mock.clock.advance(10_000)
    const sent = await read()
    expect(sent).toMatchObject({ status: 'sent', deliveries: [{ status: 'sent', attempt_count: 3, failure: null }] })
    expect(sent.deliveries[0]?.attempts.map(({ outcome }) => outcome)).toEqual(['retrying', 'retrying', 'sent'])
    expect(mock.outbox).toMatchObject([{ attempt: 3 }])
  })

  it('fails when the retry budget is used up', async () => {
    const { read, mock } = await send({}, ({ faults }) => faults.deliveriesTo(target, 'outage'))
    await mock.clock.advance(25 * 3_600_000)
    const { status, deliveries } = await read()
    expect([status, deliveries[0]?.status, deliveries[0]?.failure?.code]).toEqual(['failed', 'failed', 'connection_refused'])
    expect(deliveries[0]?.attempt_count).toBeGreaterThan(20)
  })

  it('has a new budget after a manual retry', async () => {
    const { read, mock, flowpost, id } = await send({ retryPolicy: { budgetMs: 60_000, maxWaitMs: 10_000 } }, ({ faults }) =>
      faults.deliveriesTo(target, 'outage'),
    )
    await mock.clock.advance(3_600_000)
    expect(await read()).toMatchObject({ status: 'failed' })
    await flowpost.notifications.retry(id)
    expect(await read()).toMatchObject({ deliveries: [{ status: 'retrying' }] })
    mock.faults.clear()
    await mock.clock.advance(60_000)
    expect(await read()).toMatchObject({ status: 'sent' })
  })

  it('waits no longer than the initial wait after the first attempt of a manual retry', async () => {
    const { read, mock, flowpost, id } = await send({}, ({ faults }) => faults.deliveriesTo(target, 'outage'))
    await mock.clock.advance(25 * 3_600_000)
    await flowpost.notifications.retry(id)
    const [delivery] = (await read()).deliveries
    const waitMs = Date.parse(delivery?.next_attempt_at ?? '') - Date.parse(delivery?.attempts.at(-1)?.started_at ?? '')
    expect(waitMs).toBeLessThanOrEqual(5_000)
  })

  it('waits for the delay that its provider requests', async () => {
    const { read, mock } = await send({}, ({ faults }) =>
      faults.deliveriesTo(target, { fail: 'rate_limited', retryAfterMs: 60_000, times: 1 }),
    )
    await mock.clock.advance(59_999)
    expect(await read()).toMatchObject({ deliveries: [{ status: 'retrying', failure: { kind: 'rate' } }] })
    await mock.clock.advance(5_001)
    expect(await read()).toMatchObject({ status: 'sent' })
  })

  it('stays ambiguous with the policy hold, and is retried with the policy retry', async () => {
    const lose = ({ faults }: FlowpostMock) => faults.deliveriesTo(target, { fail: 'ambiguous', times: 1 })
    const held = await send({ ambiguous: 'hold' }, lose)
    expect(await held.read()).toMatchObject({ status: 'failed', deliveries: [{ status: 'ambiguous', failure: { kind: 'ambiguous' } }] })
    await held.flowpost.notifications.retry(held.id)
    expect(await held.read()).toMatchObject({ status: 'sent', deliveries: [{ attempt_count: 2 }] })

    const retried = await send({}, lose)
    expect(await retried.read()).toMatchObject({ deliveries: [{ status: 'retrying' }] })
    await retried.mock.clock.advance(5_000)
    expect(await retried.read()).toMatchObject({ status: 'sent' })
  })

  it('has the status `sending` during the delay and cannot be canceled', async () => {
    const { read, mock, flowpost, id } = await send({}, ({ faults }) => faults.deliveriesTo(target, { delayMs: 3_000 }))
    expect(await read()).toMatchObject({
      status: 'sending',
      deliveries: [{ status: 'sending', attempts: [{ outcome: 'sending', duration_ms: null }] }],
    })
    expect(await flowpost.notifications.cancel(id)).toMatchObject({ status: 'sending' })
    await mock.clock.advance(3_000)
    expect(await read()).toMatchObject({ status: 'sent', deliveries: [{ attempts: [{ outcome: 'sent', duration_ms: 3_000 }] }] })
  })

  it('is not retried when its flow is deleted during an attempt', async () => {
    const { read, mock, flowpost, flow } = await send({}, ({ faults }) => faults.deliveriesTo(target, { fail: 'outage', delayMs: 1_000 }))
    await flowpost.flows.delete(flow.project_id, flow.id)
    await mock.clock.advance(1_000)
    expect(await read()).toMatchObject({
      status: 'canceled',
      deliveries: [{ status: 'canceled', attempt_count: 1, next_attempt_at: null }],
    })
  })

  it('can be canceled while it waits for a retry', async () => {
    const { read, mock, flowpost, id } = await send({}, ({ faults }) => faults.deliveriesTo(target, 'outage'))
    await flowpost.notifications.cancel(id)
    await mock.clock.advance(3_600_000)
    expect(await read()).toMatchObject({ status: 'canceled', deliveries: [{ status: 'canceled', attempt_count: 1, failure: null }] })
  })

  it('fails with a custom failure', async () => {
    const failure = { kind: 'content', code: 'spam', detail: 'It looks like spam.', retryable: false } as const
    const { read } = await send({}, ({ faults }) => faults.deliveriesTo(target, { fail: failure }))
    expect(await read()).toMatchObject({ deliveries: [{ status: 'failed', failure }] })
  })

  it('is sent at its scheduled time', async () => {
    const mock = createFlowpostMock({ time: 'manual', now: '2026-11-21T10:00:00Z' })
    const { project_id } = mock.seed.flow()
    await mock.client().notifications.send({ project_id, subject: 'a', message: 'b', send_at: '2026-11-21T12:00:00Z' })
    await mock.clock.advance(2 * 3_600_000 - 1)
    expect(mock.outbox).toEqual([])
    await mock.clock.advance(1)
    expect(mock.outbox).toMatchObject([{ sent_at: '2026-11-21T12:00:00.000Z' }])
  })
})

describe('waiting for a notification', () => {
  it('takes no real time', async () => {
    const mock = createFlowpostMock()
    const flow = mock.seed.flow({ target })
    mock.faults.deliveriesTo(target, { fail: 'outage', times: 3 })
    const settled = await mock.client().notifications.send({ project_id: flow.project_id, subject: 'a', message: 'b' }).settled()
    expect(settled).toMatchObject({ status: 'sent', deliveries: [{ attempt_count: 4 }] })
  })

  it('ends after the requested seconds', async () => {
    const { mock, flowpost, id } = await send({ time: 'auto' }, ({ faults }) => faults.deliveriesTo(target, { delayMs: 60_000 }))
    const before = mock.clock.now()
    expect(await flowpost.notifications.get(id, { wait: 20 })).toMatchObject({ status: 'sending' })
    expect(mock.clock.now() - before).toBe(20_000)
  })
})

it('is rejected when its name does not exist', () => {
  const { faults } = createFlowpostMock()
  for (const fault of ['bounced', { fail: 'bounced' }])
    expect(() => faults.deliveriesTo(target, fault as never)).toThrow('There is no delivery fault bounced. Use one of: bounce, ')
})

describe('the health of a flow', () => {
  it('is unhealthy after ten permanent failures, and healthy after a success', async () => {
    const mock = createFlowpostMock()
    const flow = mock.seed.flow({ target })
    const flowpost = mock.client()
    const health = async () => (await flowpost.flows.get(flow.project_id, flow.id)).health
    const sendOne = () => flowpost.notifications.send({ project_id: flow.project_id, subject: 'a', message: 'b' })
    mock.faults.deliveriesTo(target, 'bounce')
    for (let count = 0; count < 9; count += 1) await sendOne()
    expect(await health()).toMatchObject({ status: 'unknown' })
    await sendOne()
    expect(await health()).toMatchObject({ status: 'unhealthy', code: '5.1.1' })
    mock.faults.clear()
    await sendOne()
    expect(await health()).toMatchObject({ status: 'healthy', code: null })
  })

  it('is updated by a check', async () => {
    const mock = createFlowpostMock()
    const flow = mock.seed.flow({ source_type: 'slack', target: 'C024BE91L' })
    const check = () => mock.client().flows.check(flow.project_id, flow.id)
    expect(await check()).toMatchObject({ ok: true })
    mock.faults.deliveriesTo('C024BE91L', 'channel_not_found')
    expect(await check()).toMatchObject({ ok: false, checks: [{ ok: true }, { ok: false, code: 'channel_not_found' }] })
    expect(mock.outbox).toEqual([])
  })
})
