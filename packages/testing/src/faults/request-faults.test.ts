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
  it('returns an injected status, and the client retries without real delays', async () => {
    const { mock, body } = setUp()
    const before = mock.clock.now()
    mock.faults.next('notifications.send', { status: 429, retryAfter: 30 })
    await mock.client().notifications.send(body)
    expect(statuses(mock)).toEqual([429, 202])
    expect(mock.clock.now() - before).toBeGreaterThanOrEqual(30_000)
    expect(mock.outbox).toHaveLength(1)
  })

  it('returns the problem declared for the status, or the given code', async () => {
    const { mock, body } = setUp()
    const once = mock.client({ maxRetries: 0 })
    mock.faults.next('notifications.send', { status: 503 })
    expect(await failureOf(once.notifications.send(body))).toMatchObject({ status: 503, code: 'unavailable' })
    mock.faults.next('notifications.send', { status: 503, code: 'queue_full', retryAfter: 10 })
    expect(await failureOf(once.notifications.send(body))).toMatchObject({ status: 503, code: 'queue_full', retryAfterMs: 10_000 })
    expect(mock.outbox).toEqual([])
  })

  it('returns an HTML page for an undeclared status', async () => {
    const { mock, body } = setUp()
    mock.faults.next('notifications.send', { status: 502 })
    const error = await failureOf(mock.client({ maxRetries: 0 }).notifications.send(body))
    expect(error).toMatchObject({ status: 502, code: 'unexpected_response', snippet: expect.stringContaining('<html>') })
  })

  it('with the target * and a code is the next one that declares the code', async () => {
    const { mock, body } = setUp()
    mock.faults.next('*', { status: 503, code: 'queue_full' })
    const once = mock.client({ maxRetries: 0 })
    await once.projects.list()
    expect(await failureOf(once.notifications.send(body))).toMatchObject({ code: 'queue_full' })
  })

  it('fails without executing the operation', async () => {
    const { mock, body } = setUp()
    mock.faults.next('notifications.send', 'networkError', { times: 3 })
    expect(await failureOf(mock.client({ maxRetries: 2 }).notifications.send(body))).toMatchObject({ code: 'connection_failed' })
    expect(statuses(mock)).toEqual([null, null, null])
    expect(mock.outbox).toEqual([])
  })

  it('is retried until the faults end', async () => {
    const { mock, body } = setUp()
    mock.faults.next('notifications.send', 'networkError', { times: 5 })
    mock.faults.next('notifications.send', { status: 503, retryAfter: 1 }, { times: 2 })
    await mock.client().notifications.send(body)
    expect(statuses(mock)).toEqual([null, null, null, null, null, 503, 503, 202])
    expect(mock.outbox).toHaveLength(1)
  })

  it('executes the operation although the connection fails', async () => {
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

  it('stalls the body until the attempt times out', async () => {
    const { mock, body } = setUp()
    const before = mock.clock.now()
    mock.faults.next('notifications.send', 'stalledBody')
    const { response } = await mock.client({ attemptTimeout: 5_000 }).notifications.send(body).withResponse()
    expect(response.headers.get('idempotency-replayed')).toBe('true')
    expect(mock.clock.now() - before).toBeGreaterThanOrEqual(5_000)
    expect(mock.outbox).toHaveLength(1)
  })

  it('truncates the body', async () => {
    const { mock } = setUp()
    mock.faults.next('projects.list', 'malformedJson')
    expect(await failureOf(mock.client({ maxRetries: 0 }).projects.list())).toMatchObject({ status: 200, code: 'unexpected_response' })
  })

  it("is delayed on the mock's clock", async () => {
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

  it('is not executed when it exceeds the deadline of the call', async () => {
    const { mock, body } = setUp()
    mock.faults.next('notifications.send', { latencyMs: 10_000 })
    expect(await failureOf(mock.client({ timeout: 300, maxRetries: 0 }).notifications.send(body))).toMatchObject({ code: 'timeout' })
    await mock.clock.advance(60_000)
    expect(mock.outbox).toEqual([])
  })

  it('keeps its idempotency key in progress during the delay', async () => {
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

  it('gets the injected faults in order, and none for another operation', async () => {
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

describe('a fault that cannot occur', () => {
  const invalid: [string, unknown, string][] = [
    ['notifications.sned', { status: 503 }, 'There is no operation notifications.sned. Use * or one of: '],
    ['projects.list', { status: 204 }, 'an integer from 400 to 599, not 204'],
    ['projects.list', { status: 404, code: 'rate_limited' }, 'The code rate_limited has the status 429, not 404.'],
    ['projects.list', { status: 503, code: 'queue_full' }, 'projects.list does not declare the code queue_full. Use one of: '],
    ['*', { status: 429, code: 'nope' }, 'No operation declares the code nope. Use one of: '],
    ['*', { status: 503, code: 'rate_limited' }, 'The code rate_limited has the status 429, not 503.'],
    ['projects.list', { status: 429, retryAfter: '1 s' }, 'retryAfter must be a number of seconds, at least 0.'],
    ['projects.list', { latencyMs: '1 s' }, 'latencyMs must be a number of milliseconds, at least 0.'],
    ['projects.list', 'disconnect', 'There is no such fault.'],
    ['projects.list', null, 'There is no such fault.'],
  ]

  it.each(invalid)('is rejected when it is injected: %s, %o', async (target, fault, message) => {
    const { mock } = setUp()
    for (const inject of ['next', 'every'] as const) {
      const injected = () => mock.faults[inject](target as never, fault as never)
      expect(injected).toThrow(TypeError)
      expect(injected).toThrow(message)
    }
    await mock.client().projects.list()
    expect(statuses(mock)).toEqual([200])
  })
})

describe('every request', () => {
  it('fails until the fault is removed', async () => {
    const { mock, body } = setUp()
    const stop = mock.faults.every('notifications.send', { status: 503 })
    const once = mock.client({ maxRetries: 0 })
    for (let count = 0; count < 3; count += 1) expect(await failureOf(once.notifications.send(body))).toMatchObject({ status: 503 })
    stop()
    await once.notifications.send(body)
  })

  it('fails at random, deterministically for the same seed', async () => {
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

  it('succeeds after the faults are cleared', async () => {
    const { mock } = setUp()
    mock.faults.every('*', 'networkError')
    mock.faults.next('*', 'networkError')
    mock.faults.clear()
    await expect(mock.client({ maxRetries: 0 }).projects.list()).resolves.toMatchObject({ next_cursor: null })
  })
})
