import express from 'express'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Listening, listen } from '../connections/listen.ts'
import { textPages } from '../pages/serve-page.ts'
import { createMetrics, type Metrics, type MetricsDeps } from './metrics.ts'

const deps: MetricsDeps = {
  version: '1.2.3',
  role: 'all',
  sourceTypes: ['smtp', 'slack'],
  nowMs: () => performance.now(),
  queueState: async () => ({ due: 4, leased: 1, waiting: 3, scheduled: 2, oldestDueSeconds: 1.5, maxUserDue: 4, maxUserScheduled: 2 }),
  oldestUnpushedSeconds: async () => 0,
  queueLimit: 100,
  clockSkewSeconds: () => 0,
  isReady: async () => true,
  isOnHold: () => false,
}
let metrics: Metrics
let server: Listening

beforeEach(async () => {
  metrics = createMetrics(deps)
  const app = express()
  app.use(metrics.measureRequests, textPages([metrics.page]))
  app.get('/things/:id', (_request, response) => void response.send('ok'))
  app.get('/contract/:id', (request, response) => {
    Object.assign(request, { tsRestRoute: { path: '/v1/settings/projects/:project_id' } })
    response.status(404).send('none')
  })
  app.get('/hangs', (request) => {
    setTimeout(() => request.destroy(), 20)
  })
  server = await listen(app, '127.0.0.1', 0)
})
afterEach(() => server.close(100))

const get = (path: string, method = 'GET') => fetch(`http://127.0.0.1:${server.port}${path}`, { method })
const scrape = async () => (await get('/metrics')).text()
const counts = (text: string) => text.split('\n').filter((line) => line.startsWith('http_request_duration_seconds_count'))

describe('the metrics of requests', () => {
  it('are labeled by route, method and status, and contain no text from a client', async () => {
    for (const path of ['/things/secret-1', '/things/secret-2', '/contract/secret-3', '/nowhere/secret-4', '/%73ecret-5?secret=6'])
      await get(path)
    await get('/things/secret-7', 'HEAD')
    await get('/things/secret-8', 'PROPFIND')
    const text = await scrape()
    expect(text).not.toContain('secret')
    expect(counts(text).sort()).toEqual([
      'http_request_duration_seconds_count{method="GET",route="/things/:id",status="200"} 2',
      'http_request_duration_seconds_count{method="GET",route="/v1/settings/projects/:project_id",status="404"} 1',
      'http_request_duration_seconds_count{method="GET",route="other",status="404"} 2',
      'http_request_duration_seconds_count{method="HEAD",route="/things/:id",status="200"} 1',
      'http_request_duration_seconds_count{method="OTHER",route="other",status="404"} 1',
    ])
  })

  it('count a disconnected client as 499', async () => {
    await get('/hangs').catch(() => {})
    await expect.poll(async () => counts(await scrape()).join()).toContain('route="/hangs",status="499"')
  })
})

describe('the metrics of deliveries', () => {
  it('count attempts by provider and outcome', async () => {
    metrics.deliveries.attempted('smtp', 'sent')
    metrics.deliveries.attempted('smtp', 'sent')
    metrics.deliveries.attempted('slack', 'failed')
    const text = await scrape()
    expect(text).toContain('flowpost_delivery_attempts_total{source_type="smtp",outcome="sent"} 2')
    expect(text).toContain('flowpost_delivery_attempts_total{source_type="slack",outcome="failed"} 1')
  })

  it('count settled deliveries by provider, status and kind of failure, and measure the latency of sent ones', async () => {
    metrics.deliveries.settled('smtp', 'sent')
    metrics.deliveries.settled('slack', 'failed', 'target')
    metrics.deliveries.delivered('smtp', 29)
    metrics.deliveries.delivered('smtp', -3)
    const text = await scrape()
    expect(text).toContain('flowpost_deliveries_settled_total{source_type="smtp",status="sent",failure_kind="none"} 1')
    expect(text).toContain('flowpost_deliveries_settled_total{source_type="slack",status="failed",failure_kind="target"} 1')
    expect(text).toContain('flowpost_delivery_latency_seconds_bucket{le="0.1",source_type="smtp"} 1')
    expect(text).toContain('flowpost_delivery_latency_seconds_bucket{le="30",source_type="smtp"} 2')
    expect(text).toContain('flowpost_delivery_latency_seconds_sum{source_type="smtp"} 29\n')
  })

  it('start at zero for every provider and for `other`, so that the first event is visible to rate()', async () => {
    const text = await scrape()
    expect(text).toContain('flowpost_delivery_attempts_total{source_type="slack",outcome="retrying"} 0')
    expect(text).toContain('flowpost_deliveries_settled_total{source_type="slack",status="failed",failure_kind="provider"} 0')
    expect(text).toContain('flowpost_delivery_latency_seconds_count{source_type="slack"} 0')
    expect(text).toContain('flowpost_deliveries_settled_total{source_type="other",status="failed",failure_kind="credential"} 0')
  })

  it('label all providers that the process does not have as `other`', async () => {
    for (let index = 0; index < 50; index += 1) {
      metrics.deliveries.attempted(`removed-${index}`, 'failed')
      metrics.deliveries.settled(`removed-${index}`, 'failed', 'credential')
      metrics.deliveries.delivered(`removed-${index}`, 1)
    }
    const text = await scrape()
    expect(text).not.toContain('removed')
    expect(text).toContain('flowpost_delivery_attempts_total{source_type="other",outcome="failed"} 50')
    expect(text).toContain('flowpost_deliveries_settled_total{source_type="other",status="failed",failure_kind="credential"} 50')
    expect(text).toContain('flowpost_delivery_latency_seconds_count{source_type="other"} 50')
  })

  it('belong to one server, not to all servers in the process', async () => {
    createMetrics(deps).deliveries.attempted('smtp', 'sent')
    createMetrics(deps).deliveries.attempted('removed', 'sent')
    const text = await scrape()
    expect(text).toContain('flowpost_delivery_attempts_total{source_type="smtp",outcome="sent"} 0')
    expect(text).toContain('flowpost_delivery_attempts_total{source_type="other",outcome="sent"} 0')
  })

  it('include the number of open circuit breakers only in a process that has breakers', async () => {
    expect(await scrape()).not.toMatch(/^flowpost_circuit_breakers_open /m)
    metrics.deliveries.watchBreakers(() => 3)
    expect(await scrape()).toContain('flowpost_circuit_breakers_open 3')
  })
})

describe('the role of a process', () => {
  it('decides which metrics it exports', async () => {
    const namesOf = async (role: MetricsDeps['role']) =>
      [...(await createMetrics({ ...deps, role }).page.render()).text.matchAll(/^# TYPE (flowpost_\S+)/gm)].map(([, name]) => name)
    const [all, api, worker] = [await namesOf('all'), await namesOf('api'), await namesOf('worker')]
    expect(all.filter((name) => !worker.includes(name))).toEqual(['flowpost_accepted_total', 'flowpost_accepted_tests_total'])
    expect(all.filter((name) => !api.includes(name)).sort()).toEqual([
      'flowpost_circuit_breakers_open',
      'flowpost_deliveries_settled_total',
      'flowpost_delivery_attempts_total',
      'flowpost_delivery_latency_seconds',
      'flowpost_event_pushes_total',
      'flowpost_jobs_processed_total',
      'flowpost_outcome_recording_failures_total',
    ])
  })

  it('allows counting metrics that it does not export', async () => {
    const api = createMetrics({ ...deps, role: 'api' })
    api.acceptance.accepted(false)
    api.deliveries.attempted('smtp', 'sent')
    const { text } = await api.page.render()
    expect(text).toContain('flowpost_accepted_total 1')
    expect(text).not.toContain('flowpost_delivery_attempts_total')
  })
})

describe('the metrics page', () => {
  it('has the Prometheus text format', async () => {
    const response = await get('/metrics')
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    const text = await response.text()
    expect(text).toContain('flowpost_build_info{version="1.2.3"} 1')
    for (const line of text.split('\n').filter((each) => each !== ''))
      expect(line).toMatch(/^(# (HELP|TYPE) \S+ .+|[a-z_:][a-z0-9_:]*(\{[^}]*\})? (-?[\d.e+-]+|Nan|\+Inf))$/i)
  })
})
