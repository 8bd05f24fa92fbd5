import { afterAll, beforeAll, expect, it } from 'vitest'
import { onDatabase } from './support/direct-database.ts'
import { expectProblem } from './support/expect-problem.ts'
import { addFlow, createFlow, send } from './support/resources.ts'
import { createTestDatabase } from './support/test-database.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

const flowCount = 1_200

let server: TestServer
/** The ids of two projects: one with active flows, and one with inactive flows. */
const project = { active: '', inactive: '' }
beforeAll(async () => {
  const first = await startTestServer({ database: await createTestDatabase(), env: { FLOWPOST_RATE_LIMIT: 'off', FLOWPOST_CAPTURE: 'on' } })
  project.active = (await createFlow(first, { active: true, target: 'model@example.com' })).project.id
  project.inactive = (await createFlow(first, { active: false, target: 'model@example.com' })).project.id
  await first.stop()
  // The templates of the copied flows take 120 MB in memory, although they are stored compressed.
  await onDatabase(first.database, (query) =>
    query(`
      insert into flows (id, project_id, name, active, source_type, target, override_target, message_template, message_template_type,
        created_at, updated_at)
      select gen_random_uuid(), f.project_id, 'copy', f.active, f.source_type, f.target, false, repeat('x', 100000), 'text/plain', now(), now()
      from flows f, generate_series(1, ${flowCount})`),
  )
  server = await first.restart()
  for (const id of [project.active, project.inactive])
    await addFlow(server, id, { source_type: 'slack', target: 'C024BE91L', override_target: true, message_template: 'Read: {{message}}' })
})
afterAll(() => server[Symbol.asyncDispose]())

const maxBytes = 60 * 1_048_576

/** Returns the peak amount of additional memory during an action, in bytes. */
const measurePeakBytes = async (action: () => Promise<unknown>): Promise<number> => {
  globalThis.gc?.()
  const before = process.memoryUsage()
  let peak = 0
  const sampler = setInterval(() => {
    const { heapUsed, external } = process.memoryUsage()
    peak = Math.max(peak, heapUsed + external - before.heapUsed - before.external)
  }, 1)
  await action().finally(() => clearInterval(sampler))
  return peak
}

it('skips inactive flows without reading their templates', async () => {
  const body = { project_id: project.inactive, subject: 's', message: 'm' }
  expect(await measurePeakBytes(() => send(server, project.inactive))).toBeLessThan(maxBytes)
  const { json } = await server.request('POST', '/v1/notifications/preview', { json: body })

  expect(json.flows).toHaveLength(flowCount + 2)
  const matched = json.flows.filter(({ outcome }: { outcome: string }) => outcome === 'matched')
  expect(matched).toMatchObject([{ content: { text: 'Read: m' } }])
})

it('rejects too many deliveries without reading the templates of their flows', async () => {
  const sendAndPreview = async () => {
    for (const path of ['', '/preview'])
      expectProblem(
        await server.request('POST', `/v1/notifications${path}`, { json: { project_id: project.active, subject: 's', message: 'm' } }),
        'too_many_deliveries',
      )
  }
  expect(await measurePeakBytes(sendAndPreview)).toBeLessThan(maxBytes)
})

it('reads only the flows that match the target', async () => {
  const { deliveries } = await send(server, project.active, { target: 'slack:C024BE91L' })
  expect(deliveries).toHaveLength(1)
  const json = { project_id: project.active, subject: 's', message: 'm', target: 'slack:C024BE91L' }
  const preview = await server.request('POST', '/v1/notifications/preview', { json })

  expect(preview.json.flows.filter(({ outcome }: { outcome: string }) => outcome === 'matched')).toMatchObject([
    { content: { text: 'Read: m' } },
  ])
})
