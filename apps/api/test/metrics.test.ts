import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createFlow, readCompleted, send } from './support/resources.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server[Symbol.asyncDispose]())

const scrape = async () => {
  const response = await server.request('GET', '/metrics', { key: null })
  expect(response.status).toBe(200)
  return response.text
}
const readSample = (text: string, series: string) =>
  Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${series} `))
      ?.slice(series.length + 1),
  )

describe('GET /metrics', () => {
  it('returns request durations by operation, without any user data', async () => {
    const { project, flow } = await createFlow(server, { name: 'hush-hush', target: 'hush@example.com' })
    const path = `/v1/settings/projects/${project.id}/flows/${flow.id}`
    for (let count = 0; count < 3; count += 1) await server.request('GET', path)
    await server.request('GET', path, { key: null })
    await server.request('GET', `/v1/settings/projects/hush?hush=hush`)
    await server.request('GET', '/hush/hush')
    const notification = await send(server, project.id, { subject: 'hush', message: 'hush' })
    await readCompleted(server, notification.id)
    const text = await scrape()
    const flows = 'method="GET",route="/v1/settings/projects/:project_id/flows/:flow_id"'
    expect(readSample(text, `http_request_duration_seconds_count{${flows},status="200"}`)).toBe(3)
    expect(readSample(text, `http_request_duration_seconds_count{${flows},status="401"}`)).toBe(1)
    expect(readSample(text, 'http_request_duration_seconds_count{method="GET",route="other",status="404"}')).toBe(1)
    for (const secret of ['hush', 'alice', 'bob', project.id, flow.id, notification.id, server.keys.alice])
      expect(text).not.toContain(secret)
  })

  it('counts delivery attempts by outcome', async () => {
    const { project } = await createFlow(server)
    const captured = 'flowpost_delivery_attempts_total{source_type="smtp",outcome="captured"}'
    const before = readSample(await scrape(), captured) || 0
    await readCompleted(server, (await send(server, project.id)).id)
    await expect.poll(async () => readSample(await scrape(), captured)).toBe(before + 1)
  })

  it('counts accepted notifications, once for each idempotency key', async () => {
    const { project } = await createFlow(server)
    const before = readSample(await scrape(), 'flowpost_accepted_total')
    const json = { project_id: project.id, subject: 'a', message: 'b' }
    const headers = { 'Idempotency-Key': 'accepted-once' }
    for (let count = 0; count < 2; count += 1)
      expect((await server.request('POST', '/v1/notifications', { json, headers })).status).toBe(202)
    expect((await server.request('POST', '/v1/notifications', { json: { ...json, subject: '' } })).status).toBe(422)
    expect(readSample(await scrape(), 'flowpost_accepted_total')).toBe(before + 1)
  })

  it('measures the latency of a scheduled message from its send_at', async () => {
    const { project } = await createFlow(server, { source_type: 'webhook', target: 'ops-alerts' })
    const settled = 'flowpost_deliveries_settled_total{source_type="webhook",status="sent",failure_kind="none"}'
    const within = (seconds: number) => `flowpost_delivery_latency_seconds_bucket{le="${seconds}",source_type="webhook"}`
    const scheduled = await send(server, project.id, { send_at: new Date(Date.now() + 3_000).toISOString() })
    expect(readSample(await scrape(), 'flowpost_queue_limit')).toBeGreaterThan(0)
    await readCompleted(server, scheduled.id)
    await expect.poll(async () => readSample(await scrape(), settled)).toBe(1)
    expect(readSample(await scrape(), within(2.5))).toBe(1)
  })

  it('returns process metrics, the version and the queue depth', async () => {
    const text = await scrape()
    for (const name of [
      'process_resident_memory_bytes',
      'process_cpu_seconds_total',
      'nodejs_eventloop_lag_p99_seconds',
      'nodejs_heap_size_used_bytes',
    ])
      expect(readSample(text, name), name).toBeGreaterThanOrEqual(0)
    expect(readSample(text, 'flowpost_queue_depth')).toBeGreaterThanOrEqual(0)
    expect(readSample(text, 'flowpost_ready')).toBe(1)
    expect(readSample(text, 'flowpost_circuit_breakers_open')).toBe(0)
    expect(readSample(text, 'flowpost_oldest_due_seconds')).toBeGreaterThanOrEqual(0)
    expect(text).toMatch(/^flowpost_build_info\{version="[^"]+"\} 1$/m)
  })
})
