import { isFlowpostError } from '@flowpost/client'
import { describe, expect, it } from 'vitest'
import { createFlowpostMock, type FlowpostMock } from '../mock.ts'

const message = { subject: 'a', message: 'b' }

const setUp = (options = {}) => {
  const mock = createFlowpostMock(options)
  const { project_id } = mock.seed.flow()
  return { mock, body: { project_id, ...message } }
}

const statuses = (mock: FlowpostMock) => mock.requests.map(({ status }) => status)
const failureOf = async (call: PromiseLike<unknown>) => {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!isFlowpostError(error)) throw error
  return error
}

describe('the next request of an operation', () => {
  it('is answered with a status, which a client with retries survives without waiting', async () => {
    const { mock, body } = setUp()
    const before = mock.clock.now()
    mock.faults.next('notifications.send', { status: 429, retryAfter: 30 })
    await mock.client().notifications.send(body)
    expect(statuses(mock)).toEqual([429, 202])
    expect(mock.clock.now() - before).toBeGreaterThanOrEqual(30_000)
    expect(mock.outbox).toHaveLength(1)
  })

  it('is answered with the problem that the operation declares for the status, or the one that is named', async () => {
    const { mock, body } = setUp()
    const once = mock.client({ maxRetries: 0 })
    mock.faults.next('notifications.send', { status: 503 })
    expect(await failureOf(once.notifications.send(body))).toMatchObject({ status: 503, code: 'unavailable' })
    mock.faults.next('notifications.send', { status: 503, code: 'queue_full', retryAfter: 10 })
    expect(await failureOf(once.notifications.send(body))).toMatchObject({ status: 503, code: 'queue_full', retryAfterMs: 10_000 })
    expect(mock.outbox).toEqual([])
  })

  it('is answered with the page of a proxy for a status that is not declared', async () => {
    const { mock, body } = setUp()
    mock.faults.next('notifications.send', { status: 502 })
    const error = await failureOf(mock.client({ maxRetries: 0 }).notifications.send(body))
    expect(error).toMatchObject({ status: 502, code: 'unexpected_response', snippet: expect.stringContaining('<html>') })
  })

  it('cannot be answered with a problem that the operation does not declare', async () => {
    const mock = createFlowpostMock()
    mock.faults.next('projects.list', { status: 503, code: 'queue_full' })
    const headers = { authorization: `Bearer ${mock.apiKey}` }
    await expect(mock.fetch(`${mock.baseUrl}/v1/settings/projects`, { headers })).rejects.toThrow('does not declare')
  })

  it('fails with the connection, and nothing is done', async () => {
    const { mock, body } = setUp()
    mock.faults.next('notifications.send', 'networkError', { times: 3 })
    expect(await failureOf(mock.client({ maxRetries: 2 }).notifications.send(body))).toMatchObject({ code: 'connection_failed' })
    expect(statuses(mock)).toEqual([null, null, null])
    expect(mock.outbox).toEqual([])
  })

  it('is retried by a client until the server is back', async () => {
    const { mock, body } = setUp()
    mock.faults.next('notifications.send', 'networkError', { times: 5 })
    mock.faults.next('notifications.send', { status: 503, retryAfter: 1 }, { times: 2 })
    await mock.client().notifications.send(body)
    expect(statuses(mock)).toEqual([null, null, null, null, null, 503, 503, 202])
    expect(mock.outbox).toHaveLength(1)
  })

  it('is done although the connection fails, so that only an idempotency key keeps it from being done twice', async () => {
    const { mock, body } = setUp()
    mock.faults.next('notifications.send', 'commitThenDrop')
    const sent = await mock.client().notifications.send(body)
    expect(statuses(mock)).toEqual([null, 202])
    expect(mock.outbox).toMatchObject([{ notification_id: sent.id }])

    const careless = () =>
      mock.fetch(`${mock.baseUrl}/v1/notifications`, {
        method: 'POST',
        headers: { authorization: `Bearer ${mock.apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    mock.faults.next('notifications.send', 'commitThenDrop')
    await expect(careless()).rejects.toThrow(TypeError)
    await careless()
    expect(mock.outbox).toHaveLength(3)
  })

  it('is answered by a body that never ends, which the deadline of an attempt ends', async () => {
    const { mock, body } = setUp()
    const before = mock.clock.now()
    mock.faults.next('notifications.send', 'stalledBody')
    const { response } = await mock.client({ attemptTimeout: 5_000 }).notifications.send(body).withResponse()
    expect(response.headers.get('idempotency-replayed')).toBe('true')
    expect(mock.clock.now() - before).toBeGreaterThanOrEqual(5_000)
    expect(mock.outbox).toHaveLength(1)
  })

  it('is answered by a body that is cut off', async () => {
    const { mock } = setUp()
    mock.faults.next('projects.list', 'malformedJson')
    expect(await failureOf(mock.client({ maxRetries: 0 }).projects.list())).toMatchObject({ status: 200, code: 'unexpected_response' })
  })

  it('is late, on the clock of the mock', async () => {
    const { mock } = setUp({ time: 'manual' })
    mock.faults.next('projects.list', { latencyMs: 400 })
    let answered = false
    const call = mock
      .client()
      .projects.list()
      .then(() => {
        answered = true
      })
    await mock.clock.advance(399)
    expect(answered).toBe(false)
    await mock.clock.advance(1)
    await call
    expect(answered).toBe(true)
  })

  it('is too late for the deadline of a call, and then nothing is done', async () => {
    const { mock, body } = setUp()
    mock.faults.next('notifications.send', { latencyMs: 10_000 })
    expect(await failureOf(mock.client({ timeout: 300, maxRetries: 0 }).notifications.send(body))).toMatchObject({ code: 'timeout' })
    await mock.clock.advance(60_000)
    expect(mock.outbox).toEqual([])
  })

  it('is in progress while it is late: another one with its key is told so', async () => {
    const { mock, body } = setUp({ time: 'manual' })
    const once = mock.client({ maxRetries: 0 })
    mock.faults.next('notifications.send', { latencyMs: 1_000 })
    const first = once.notifications.send(body, { idempotencyKey: 'invoice-42' })
    await mock.clock.advance(10)
    const second = await failureOf(once.notifications.send(body, { idempotencyKey: 'invoice-42' }))
    expect(second).toMatchObject({ code: 'idempotency_in_progress', retryAfterMs: 1_000 })
    await mock.clock.advance(1_000)
    const { id } = await first
    await expect(once.notifications.send(body, { idempotencyKey: 'invoice-42' })).resolves.toMatchObject({ id })
    expect(mock.outbox).toHaveLength(1)
  })

  it('goes wrong in the order in which faults were given, and only for its operation', async () => {
    const { mock, body } = setUp()
    mock.faults.next('notifications.send', { status: 500 })
    mock.faults.next('*', { status: 503 })
    mock.faults.next('notifications.send', { status: 429 })
    const once = mock.client({ maxRetries: 0 })
    const codes = []
    for (const call of [
      () => once.projects.list(),
      () => once.notifications.send(body),
      () => once.notifications.send(body),
      () => once.projects.list(),
      () => once.notifications.send(body),
    ])
      codes.push(
        await Promise.resolve(call()).then(
          () => 'fine',
          ({ code }) => code,
        ),
      )
    expect(codes).toEqual(['unavailable', 'internal', 'rate_limited', 'fine', 'fine'])
  })
})

describe('every request', () => {
  it('goes wrong until it is told to stop', async () => {
    const { mock, body } = setUp()
    const stop = mock.faults.every('notifications.send', { status: 503 })
    const once = mock.client({ maxRetries: 0 })
    for (let count = 0; count < 3; count += 1) expect(await failureOf(once.notifications.send(body))).toMatchObject({ status: 503 })
    stop()
    await once.notifications.send(body)
  })

  it('goes wrong by chance, the same for the same seed', async () => {
    const play = async (seed: number) => {
      const { mock } = setUp({ seed })
      mock.faults.every('*', { status: 503 }, { chance: 0.3 })
      const once = mock.client({ maxRetries: 0 })
      for (let count = 0; count < 200; count += 1) await Promise.resolve(once.projects.list()).catch(() => {})
      return statuses(mock)
    }
    const seen = await play(1)
    const share = seen.filter((status) => status === 503).length / seen.length
    expect(share).toBeGreaterThan(0.2)
    expect(share).toBeLessThan(0.4)
    expect(await play(1)).toEqual(seen)
    expect(await play(2)).not.toEqual(seen)
  })

  it('is fine again once the faults are cleared', async () => {
    const { mock } = setUp()
    mock.faults.every('*', 'networkError')
    mock.faults.next('*', 'networkError')
    mock.faults.clear()
    await expect(mock.client({ maxRetries: 0 }).projects.list()).resolves.toMatchObject({ next_cursor: null })
  })
})
