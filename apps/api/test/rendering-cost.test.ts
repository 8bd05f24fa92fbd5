import { afterAll, beforeAll, expect, it } from 'vitest'
import { onDatabase } from './support/direct-database.ts'
import { expectProblem } from './support/expect-problem.ts'
import { createFlow } from './support/resources.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

const requests = 1_000

let server: TestServer
let projectId: string
let expensiveProjectId: string
beforeAll(async () => {
  const first = await startTestServer({ env: { FLOWPOST_RATE_LIMIT: `${requests}/3600` } })
  projectId = (await createFlow(first, { message_template: '{{message}}{{message}}' })).project.id
  const expensive = await createFlow(first, { name: 'expensive' })
  expensiveProjectId = expensive.project.id
  await first.stop()
  // Earlier versions had no limit on placeholders, so such a flow may be stored.
  await onDatabase(first.database, (query) =>
    query(`update flows set message_template_type = 'text/html', message_template = repeat('{{message}}', 9000) where name = $1`, [
      expensive.flow.name,
    ]),
  )
  server = await first.restart()
})
afterAll(() => server[Symbol.asyncDispose]())

const preview = (project_id: string, message: string) =>
  server.request('POST', '/v1/notifications/preview', { json: { project_id, subject: 's', message } })
const send = (project_id: string, message: string) =>
  server.request('POST', '/v1/notifications', { json: { project_id, subject: 's', message } })
const remaining = async () =>
  Number(/r=(\d+)/.exec((await server.request('GET', '/v1/settings/projects')).headers.get('ratelimit') ?? '')?.[1])

it('charges a request one unit of the rate limit, and one more per 16 KiB of rendered text', async () => {
  const before = await remaining()
  expect((await preview(projectId, 'short')).status).toBe(200)
  expect(await remaining()).toBe(before - 2)
  expect((await preview(projectId, 'x'.repeat(100_000))).status).toBe(200)
  // The second preview renders 200,001 bytes. They contain 12 complete blocks of 16 KiB, and each block costs one unit. The
  // other 4 units are two previews and two calls of `remaining`.
  expect(await remaining()).toBe(before - 4 - 12)
  expect((await send(projectId, 'x'.repeat(100_000))).status).toBe(202)
  expect(await remaining()).toBe(before - 6 - 24)
})

it('rejects a stored template of 9,000 placeholders in send and preview without rendering it', async () => {
  const message = '<b>&amp;'.repeat(10_000)
  const previewAndSend = async (id: string) => {
    const startedMs = performance.now()
    const responses = [await preview(id, message), await send(id, message)]
    return { responses, durationMs: performance.now() - startedMs }
  }
  // The baseline is a template with 2 placeholders instead of 9,000.
  const baseline = await previewAndSend(projectId)
  const { responses, durationMs } = await previewAndSend(expensiveProjectId)
  expect(baseline.responses.map(({ status }) => status)).toEqual([200, 202])
  for (const response of responses) {
    expectProblem(response, 'content_too_long')
    expect(response.json.errors).toMatchObject([{ pointer: '/message', message: expect.stringContaining('9000 placeholders') as string }])
  }
  expect(durationMs).toBeLessThan(1_000 + 10 * baseline.durationMs)
})

it('rejects a flow with more than 32 placeholders', async () => {
  const path = `/v1/settings/projects/${projectId}/flows`
  const fields = { name: 'f', source_type: 'smtp', target: 'not an address', message_template: '{{message}}'.repeat(33) }
  const response = await server.request('POST', path, { json: fields })
  expectProblem(response, 'validation_failed')
  expect(response.json.errors.map(({ pointer }: { pointer: string }) => pointer).sort()).toEqual(['/message_template', '/target'])
})
