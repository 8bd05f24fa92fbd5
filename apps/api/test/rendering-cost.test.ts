import { afterAll, beforeAll, expect, it } from 'vitest'
import { onDatabase } from './support/direct-database.ts'
import { expectProblem } from './support/expect-problem.ts'
import { createFlow } from './support/resources.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

const requests = 1_000

let server: TestServer
let moderate: string
let stored: string
beforeAll(async () => {
  const first = await startTestServer({ env: { FLOWPOST_RATE_LIMIT: `${requests}/3600` } })
  moderate = (await createFlow(first, { message_template: '{{message}}{{message}}' })).project.id
  const old = await createFlow(first, { name: 'old' })
  stored = old.project.id
  await first.stop()
  // As versions without a limit on placeholders have stored it.
  await onDatabase(first.database, (query) =>
    query(`update flows set message_template_type = 'text/html', message_template = repeat('{{message}}', 9000) where name = $1`, [
      old.flow.name,
    ]),
  )
  server = await first.restart()
})
afterAll(() => server[Symbol.asyncDispose]())

const preview = (project_id: string, message: string) =>
  server.request('POST', '/v1/notifications/preview', { json: { project_id, subject: 's', message } })
const send = (project_id: string, message: string) =>
  server.request('POST', '/v1/notifications', { json: { project_id, subject: 's', message } })
const left = async () => Number(/r=(\d+)/.exec((await server.request('GET', '/v1/settings/projects')).headers.get('ratelimit') ?? '')?.[1])

it('a request that renders much counts as several against the rate limit, and one that renders little as one', async () => {
  const before = await left()
  expect((await preview(moderate, 'short')).status).toBe(200)
  expect(await left()).toBe(before - 2)
  expect((await preview(moderate, 'x'.repeat(100_000))).status).toBe(200)
  // 200,001 bytes are twelve times 16 KiB, and a part of another.
  expect(await left()).toBe(before - 4 - 12)
  expect((await send(moderate, 'x'.repeat(100_000))).status).toBe(202)
  expect(await left()).toBe(before - 6 - 24)
})

it('a stored template of 9,000 placeholders is refused at once by send and preview', async () => {
  const startedMs = performance.now()
  for (const ask of [preview, send]) {
    const answer = await ask(stored, '<b>&amp;'.repeat(10_000))
    expectProblem(answer, 'content_too_long')
    expect(answer.json.errors).toMatchObject([{ pointer: '/message', message: expect.stringContaining('9000 placeholders') as string }])
  }
  expect(performance.now() - startedMs).toBeLessThan(2_000)
})

it('a flow cannot be given more than 32 placeholders', async () => {
  const path = `/v1/settings/projects/${moderate}/flows`
  const fields = { name: 'f', source_type: 'smtp', target: 'not an address', message_template: '{{message}}'.repeat(33) }
  const answer = await server.request('POST', path, { json: fields })
  expectProblem(answer, 'validation_failed')
  expect(answer.json.errors.map(({ pointer }: { pointer: string }) => pointer).sort()).toEqual(['/message_template', '/target'])
})
