import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { addFlow, createFlow, readCompleted } from './support/resources.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

let server: TestServer
let projectId: string

beforeAll(async () => {
  server = await startTestServer({ env: { FLOWPOST_RATE_LIMIT: 'off', FLOWPOST_CAPTURE: 'on' } })
})
afterAll(() => server[Symbol.asyncDispose]())

let count = 0
/** Creates a project without notifications. From then on, {@link item} uses it. */
const newProject = async (): Promise<void> => {
  projectId = (await createFlow(server)).project.id
  count += 1
}

// The messages are scheduled for this time, so that no delivery starts during the test.
const later = new Date(Date.now() + 3_600_000).toISOString()
const item = (subject: string, fields: object = {}) => ({ project_id: projectId, subject, message: 'm', send_at: later, ...fields })
const numbered = (length: number, fields: object = {}) => Array.from({ length }, (_, number) => item(`subject ${number}`, fields))

const post = (notifications: readonly unknown[], options: { key?: string; on?: TestServer } = {}) =>
  (options.on ?? server).request('POST', '/v1/notifications/batch', {
    json: { notifications },
    ...(options.key === undefined ? {} : { headers: { 'Idempotency-Key': options.key } }),
  })

interface Result {
  readonly status: number
  readonly notification?: { readonly id: string; readonly subject: string; readonly deliveries: readonly { readonly flow_id: string }[] }
  readonly problem?: { readonly code: string }
}
const statusesOf = (results: readonly Result[]) => results.map(({ status }) => status)
const idsOf = (results: readonly Result[]) => results.map(({ notification }) => notification?.id)

const countStored = async (): Promise<number> =>
  (await server.request('GET', `/v1/notifications?project_id=${projectId}&limit=1000`)).json.data.length

describe('a batch', () => {
  it('accepts 500 notifications and rejects an invalid one among them', async () => {
    await newProject()
    const items = numbered(500).with(250, item(''))
    const { status, json } = await post(items)
    expect(status).toBe(200)
    expect(statusesOf(json.results)).toEqual(items.map((_, index) => (index === 250 ? 422 : 202)))
    expect(json.results.at(-1).notification.subject).toBe('subject 499')
    expect(await countStored()).toBe(499)
  })

  it('stores 500 notifications with the same key once', async () => {
    await newProject()
    const { json } = await post(numbered(500, { subject: 'same', idempotency_key: `same-${count}` }))
    expect(new Set(idsOf(json.results)).size).toBe(1)
    expect(statusesOf(json.results)).toEqual(Array.from({ length: 500 }, () => 202))
    expect(await countStored()).toBe(1)
  })

  it('rejects notifications that have the same key as the first one but differ from it', async () => {
    await newProject()
    const { json } = await post(numbered(500, { idempotency_key: `different-${count}` }))
    expect(json.results.slice(1).every(({ problem }: Result) => problem?.code === 'idempotency_key_reused')).toBe(true)
    expect(await countStored()).toBe(1)
  })

  it('delivers its notifications', async () => {
    await newProject()
    const { json } = await post([item('now', { send_at: undefined }), item('also now', { send_at: undefined })])
    const completed = await Promise.all(json.results.map(({ notification }: Result) => readCompleted(server, notification?.id ?? '')))
    expect(completed.map(({ status }) => status)).toEqual(['sent', 'sent'])
  })

  it('sends each notification through the flow that it names, or through all flows of its project', async () => {
    const { project, flow } = await createFlow(server)
    const other = await addFlow(server, project.id)
    projectId = project.id
    const { json } = await post([
      item('a', { flow_id: flow.id }),
      item('b', { flow_id: other.id }),
      item('c'),
      item('d', { flow_id: flow.id }),
    ])
    const flowIds = json.results.map((result: Result) => result.notification?.deliveries.map(({ flow_id }) => flow_id).sort())
    expect(flowIds).toEqual([[flow.id], [other.id], [flow.id, other.id].sort(), [flow.id]])
  })

  it('stores each notification once when it is repeated concurrently', async () => {
    await newProject()
    const key = `concurrent-${count}`
    const responses = await Promise.all(Array.from({ length: 4 }, () => post(numbered(100), { key })))
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    const again = await post(numbered(100), { key })
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    for (const { json } of responses)
      for (const [index, { status, notification, problem }] of (json.results as Result[]).entries())
        expect(status === 202 ? notification?.id : problem?.code).toBe(
          status === 202 ? again.json.results[index].notification.id : 'idempotency_in_progress',
        )
    expect(await countStored()).toBe(100)
  })

  it('rejects a body over the size limit', async () => {
    const { status, json } = await post([item('x', { message: 'm'.repeat(10_000_000) })])
    expect([status, json.code]).toEqual([413, 'body_too_large'])
  })
})

describe('the rate limit', () => {
  it('counts each notification in a batch, and rejects notifications above the limit', async () => {
    await using limited = await startTestServer({ env: { FLOWPOST_RATE_LIMIT: '10/60' } })
    projectId = (await createFlow(limited)).project.id
    const { json, headers } = await post(numbered(12), { on: limited })
    // Two requests have created the project and the flow.
    expect(statusesOf(json.results)).toEqual([...Array.from({ length: 8 }, () => 202), 429, 429, 429, 429])
    expect(json.results[8].problem.code).toBe('rate_limited')
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await post([item('one')], { on: limited })).status).toBe(429)
  })

  it('accepts every notification of a batch above the limit once the batch has been repeated often enough', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    await using limited = await startTestServer({ env: { FLOWPOST_RATE_LIMIT: '4/60' } })
    // These are two requests.
    projectId = (await createFlow(limited)).project.id
    const seen: number[][] = []
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const { json, headers } = await post(numbered(9), { on: limited, key: 'repeated' })
      seen.push(statusesOf(json.results))
      vi.advanceTimersByTime(Number(headers.get('retry-after') ?? 0) * 1_000)
    }
    expect(seen).toEqual([
      [202, 202, 429, 429, 429, 429, 429, 429, 429],
      [202, 202, 202, 202, 202, 202, 429, 429, 429],
      [202, 202, 202, 202, 202, 202, 202, 202, 202],
    ])
  })

  it('counts a repeated batch as one request if every notification is replayed', async () => {
    await using limited = await startTestServer({ env: { FLOWPOST_RATE_LIMIT: '12/60' } })
    projectId = (await createFlow(limited)).project.id
    const remaining = []
    for (const subject of ['a', 'a', 'b']) {
      const items = ['1', '2', '3'].map((key) => item(subject, { idempotency_key: key }))
      const { headers } = await post(items, { on: limited })
      remaining.push(headers.get('ratelimit')?.match(/;r=(\d+)/)?.[1])
    }
    // The last batch reuses the keys for different notifications, which are not replays.
    expect(remaining).toEqual(['7', '6', '3'])
  })

  it('counts the bytes that a batch renders', async () => {
    await using limited = await startTestServer({ env: { FLOWPOST_RATE_LIMIT: '60/60' } })
    projectId = (await createFlow(limited)).project.id
    const { json } = await post(numbered(10, { message: 'm'.repeat(100_000) }), { on: limited })
    expect(statusesOf(json.results).filter((status) => status === 429).length).toBeGreaterThan(0)
  })
})
