import { describe, expect, it, vi } from 'vitest'
import { createFlowpost, type NotificationBatch, type NotificationBatchItem, type SendManyResult } from '../src/index.ts'
import { createManualClock } from './support/manual-clock.ts'

type Answer = { status: number; headers?: Record<string, string>; body: unknown }
type Answers = (batch: NotificationBatch, call: number) => Answer | Promise<Answer>

const problem = (status: number, code: string) => ({ status, problem: { status, code, detail: 'No.', request_id: 'req-1' } })
const accepted = ({ reference, idempotency_key }: NotificationBatchItem) => ({
  status: 202,
  notification: { id: `ntf_${reference}`, reference, key: idempotency_key },
})
const acceptAll: Answers = ({ notifications }) => ({ status: 200, body: { results: notifications.map(accepted) } })

/** Creates a client whose batches get the given answers, and records its batches. */
const createClient = (answers: Answers = acceptAll, options = {}) => {
  const batches: NotificationBatch[] = []
  const headers: Record<string, string>[] = []
  const client = createFlowpost({
    baseUrl: 'http://flowpost.test',
    apiKey: 'fp_key',
    random: () => 0,
    fetch: async (_, init) => {
      const batch = JSON.parse(init.body as string) as NotificationBatch
      batches.push(batch)
      headers.push(init.headers as Record<string, string>)
      const { status, headers: extra = {}, body } = await answers(batch, batches.length)
      return new Response(JSON.stringify(body), { status, headers: extra })
    },
    ...options,
  })
  return { client, batches, headers, sizes: () => batches.map(({ notifications }) => notifications.length) }
}

const item = (number: number, fields: object = {}): NotificationBatchItem => ({
  project_id: 'prj_1',
  subject: 'a',
  message: 'b',
  reference: String(number),
  ...fields,
})
const items = (count: number) => Array.from({ length: count }, (_, number) => item(number))

const collect = async (results: AsyncIterable<SendManyResult>): Promise<SendManyResult[]> => {
  const all: SendManyResult[] = []
  for await (const result of results) all.push(result)
  return all
}
const codesOf = (results: readonly SendManyResult[]) => results.map(({ error }) => error?.code)

describe('sendMany', () => {
  it('splits the items into batches of 500 and yields their results in order', async () => {
    const { client, sizes, headers } = createClient()
    const all = items(1_234)
    const results = await collect(client.notifications.sendMany(all))
    expect(sizes()).toEqual([500, 500, 234])
    expect(results.map(({ index, notification }) => [index, notification?.id])).toEqual(all.map((_, index) => [index, `ntf_${index}`]))
    expect(results[7]?.item).toBe(all[7])
    expect(headers[0]?.['idempotency-key']).toBeUndefined()
  })

  it('sends nothing without items', async () => {
    const { client, batches } = createClient()
    expect(await collect(client.notifications.sendMany([]))).toEqual([])
    expect(batches).toEqual([])
  })

  it('splits the items by the size of the body in bytes', async () => {
    const { client, batches } = createClient()
    const large = Array.from({ length: 10 }, (_, number) => item(number, { message: 'é'.repeat(100_000) }))
    expect(await collect(client.notifications.sendMany(large))).toHaveLength(10)
    expect(batches.map(({ notifications }) => notifications.length)).toEqual([5, 5])
    for (const batch of batches) expect(Buffer.byteLength(JSON.stringify(batch))).toBeLessThanOrEqual(1_048_576)
  })

  it('measures the size of each batch separately, also after a batch of 500 items', async () => {
    const { client, sizes } = createClient()
    const all = Array.from({ length: 1_000 }, (_, number) => item(number, { message: 'a'.repeat(1_500) }))
    expect(await collect(client.notifications.sendMany(all))).toHaveLength(1_000)
    expect(sizes()).toEqual([500, 500])
  })

  it('halves a batch that the server rejects as too large', async () => {
    const { client, sizes } = createClient((batch, call) => {
      const { notifications } = batch
      return notifications.length > 3 ? { status: 413, body: problem(413, 'body_too_large').problem } : acceptAll(batch, call)
    })
    const results = await collect(client.notifications.sendMany(items(9)))
    expect(results.map(({ notification }) => notification?.reference)).toEqual(items(9).map(({ reference }) => reference))
    expect(sizes()).toEqual([9, 4, 2, 2, 5, 2, 3])
  })

  it('keeps the key of an item, and generates random keys for the other items', async () => {
    const { client, batches } = createClient()
    const results = await collect(client.notifications.sendMany([item(0, { idempotency_key: 'mine' }), item(1), item(2)]))
    const keys = batches[0]?.notifications.map(({ idempotency_key }) => idempotency_key)
    expect(keys?.[0]).toBe('mine')
    expect(new Set(keys).size).toBe(3)
    expect(results.map(({ idempotencyKey }) => idempotencyKey)).toEqual(keys)
  })

  it('retries only the items without a final answer, with the same keys', async () => {
    const { client, batches } = createClient(({ notifications }, call) => ({
      status: 200,
      body: {
        results: notifications.map((sent, position) => {
          if (call > 1) return accepted(sent)
          return [
            accepted(sent),
            problem(503, 'queue_full'),
            problem(422, 'validation_failed'),
            problem(409, 'idempotency_in_progress'),
            problem(409, 'no_active_flows'),
          ][position]
        }),
      },
    }))
    const results = await collect(client.notifications.sendMany(items(5)))
    expect(codesOf(results)).toEqual([undefined, undefined, 'validation_failed', undefined, 'no_active_flows'])
    expect(results.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4])
    expect(batches[1]?.notifications).toEqual([batches[0]?.notifications[1], batches[0]?.notifications[3]])
    expect(results[2]?.error).toMatchObject({ status: 422, requestId: 'req-1', operation: 'notifications.sendBatch' })
  })

  it('yields a result before it retries later items', async () => {
    const { client, batches } = createClient((batch, call) =>
      call > 1
        ? acceptAll(batch, call)
        : { status: 200, body: { results: [accepted(batch.notifications[0] as NotificationBatchItem), problem(503, 'queue_full')] } },
    )
    const results = client.notifications.sendMany(items(2))
    expect((await results.next()).value).toMatchObject({ index: 0, notification: { id: 'ntf_0' } })
    expect(batches).toHaveLength(1)
    expect((await results.next()).value).toMatchObject({ index: 1, notification: { id: 'ntf_1' } })
  })

  it('repeats a batch whose response was lost', async () => {
    const { client, batches } = createClient((batch, call) => {
      if (call === 1) throw new TypeError('fetch failed')
      return acceptAll(batch, call)
    })
    expect(codesOf(await collect(client.notifications.sendMany(items(3))))).toEqual([undefined, undefined, undefined])
    expect(batches[1]).toEqual(batches[0])
  })

  it('yields the error of a failed batch for each of its items, and continues', async () => {
    const { client } = createClient((batch, call) =>
      call === 1 ? { status: 401, body: problem(401, 'unauthenticated').problem } : acceptAll(batch, call),
    )
    const results = await collect(client.notifications.sendMany(items(501)))
    expect(codesOf(results)).toEqual([...Array.from({ length: 500 }, () => 'unauthenticated'), undefined])
  })

  it('gives up on an item when its delay exceeds the timeout, or after maxRetries', async () => {
    const answers: Answers = () => ({ status: 200, headers: { 'retry-after': '30' }, body: { results: [problem(429, 'rate_limited')] } })
    const late = createClient(answers, { timeout: 5_000 })
    const [result] = await collect(late.client.notifications.sendMany(items(1)))
    expect([result?.error?.code, result?.error?.retryAfterMs, late.batches.length]).toEqual(['rate_limited', 30_000, 1])
    const full = createClient(() => ({ status: 200, body: { results: [problem(503, 'queue_full')] } }))
    expect(codesOf(await collect(full.client.notifications.sendMany(items(1), { maxRetries: 2 })))).toEqual(['queue_full'])
    expect(full.batches).toHaveLength(3)
  })

  it('reads no more items than it sends, and closes the iterable when the caller stops', async () => {
    const { client, batches } = createClient()
    let read = 0
    let isClosed = false
    async function* source() {
      try {
        for (;;) yield item(read++)
      } finally {
        isClosed = true
      }
    }
    for await (const { index } of client.notifications.sendMany(source())) {
      expect(read).toBe(500)
      if (index === 400) break
    }
    expect([batches.length, isClosed]).toEqual([1, true])
  })

  it('ends with the abort reason', async () => {
    const controller = new AbortController()
    const { client } = createClient(
      (batch, call) =>
        new Promise((resolve) => {
          if (call === 1) resolve(acceptAll(batch, call) as Answer)
          else controller.abort(new Error('enough'))
        }),
    )
    const results = client.notifications.sendMany(items(600), { signal: controller.signal })
    for (let count = 0; count < 500; count += 1) await results.next()
    await expect(results.next()).rejects.toThrow('enough')
  })

  it('ends with an abort reason that is a FlowpostError of another call', async () => {
    const { client: other } = createClient(() => ({ status: 401, body: problem(401, 'unauthenticated').problem }))
    const [failed] = await collect(other.notifications.sendMany(items(1)))
    const controller = new AbortController()
    const { client } = createClient(() => new Promise(() => controller.abort(failed?.error)))
    await expect(collect(client.notifications.sendMany(items(1), { signal: controller.signal }))).rejects.toBe(failed?.error)
  })

  it('ends with the abort reason when the iterable ends after the abort', async () => {
    const controller = new AbortController()
    const next = async (): Promise<IteratorResult<NotificationBatchItem>> => {
      controller.abort(new Error('enough'))
      return { done: true, value: undefined }
    }
    const source = { [Symbol.asyncIterator]: () => ({ next }) }
    const { client } = createClient()
    await expect(collect(client.notifications.sendMany(source, { signal: controller.signal }))).rejects.toThrow('enough')
  })

  it('keeps the results of the first half of a batch when the second half is not answered in time', async () => {
    const clock = createManualClock()
    const { client } = createClient(
      (batch, call) => {
        if (call === 1) return { status: 413, body: problem(413, 'body_too_large').problem }
        if (call === 2) return acceptAll(batch, call)
        clock.advance(60_000)
        return new Promise(() => {})
      },
      { clock },
    )
    const results = await collect(client.notifications.sendMany(items(4)))
    expect(codesOf(results)).toEqual([undefined, undefined, 'timeout', 'timeout'])
    expect(results[1]?.notification?.reference).toBe('1')
  })

  it('ends with the error of the iterable, or the error for an item that cannot be converted to JSON', async () => {
    const { client } = createClient()
    const failing = vi.fn(function* (): Generator<NotificationBatchItem> {
      yield item(0)
      throw new Error('broken source')
    })
    await expect(collect(client.notifications.sendMany(failing()))).rejects.toThrow('broken source')
    const circular: Record<string, unknown> = {}
    circular['self'] = circular
    await expect(collect(client.notifications.sendMany([circular as never]))).rejects.toMatchObject({ code: 'invalid_argument' })
  })

  it('reports a response with too few results', async () => {
    const { client } = createClient(() => ({ status: 200, body: { results: [] } }), { maxRetries: 0 })
    expect(codesOf(await collect(client.notifications.sendMany(items(2))))).toEqual(['unexpected_response', 'unexpected_response'])
  })
})
