import { afterAll, beforeAll, expect, it } from 'vitest'
import { expectProblem } from './support/expect-problem.ts'
import { createFlow } from './support/resources.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

const hourMs = 3_600_000
let clockOffsetMs = 0
const clock = { now: () => new Date(Date.now() + clockOffsetMs) }

let server: TestServer
let body: object
beforeAll(async () => {
  server = await startTestServer({ clock })
  const { project } = await createFlow(server)
  const inFuture = (hours: number) => new Date(Date.now() + hours * hourMs).toISOString()
  body = { project_id: project.id, subject: 'a', message: 'b', send_at: inFuture(1), expires_at: inFuture(2) }
})
afterAll(() => server[Symbol.asyncDispose]())

const send = (json: object, key: string) => server.request('POST', '/v1/notifications', { json, headers: { 'Idempotency-Key': key } })
const sendBatch = (item: object, key: string) =>
  server.request('POST', '/v1/notifications/batch', { json: { notifications: [item] }, headers: { 'Idempotency-Key': key } })

it('replays the response to a send whose expires_at has passed, and rejects the body under a new key', async () => {
  const item = { ...body, idempotency_key: 'item' }
  const first = await send(body, 'single')
  const batches = [await sendBatch(body, 'batch'), await sendBatch(item, 'other')]
  for (const { json } of batches) expect(json.results[0].status).toBe(202)
  clockOffsetMs = 3 * hourMs
  try {
    const again = await send(body, 'single')
    expect([again.status, again.text, again.headers.get('idempotency-replayed')]).toEqual([202, first.text, 'true'])
    for (const [index, repeated] of [await sendBatch(body, 'batch'), await sendBatch(item, 'other')].entries())
      expect([repeated.text, repeated.headers.get('idempotency-replayed')]).toEqual([batches[index]?.text, 'true'])
    expect(expectProblem(await send(body, 'new'), 'validation_failed')).toEqual(['body /expires_at too_small'])
    const { json } = await sendBatch(body, 'new')
    expect(json.results[0]).toMatchObject({ status: 422, problem: { errors: [{ pointer: '/expires_at', code: 'too_small' }] } })
  } finally {
    clockOffsetMs = 0
  }
})
