import express from 'express'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Listening, listen } from '../connections/listen.ts'
import { createMetrics, depthCacheMs, type Metrics } from './metrics.ts'
import { textPages } from './page.ts'

let nowMs = 0
const queueDepth = vi.fn<() => Promise<number>>()
let metrics: Metrics
let server: Listening

beforeEach(async () => {
  nowMs = 1_000_000
  queueDepth.mockReset().mockResolvedValue(7)
  metrics = createMetrics({ version: '1.2.3', clock: { now: () => new Date(nowMs) }, queueDepth, clockSkewSeconds: () => 0 })
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
  it('are labeled by template, method and status, and hold no text of a client', async () => {
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

  it('belong to one server, not to all in the process', async () => {
    createMetrics({ version: '1', clock: { now: () => new Date() }, queueDepth, clockSkewSeconds: () => 0 }).deliveries.attempted(
      'smtp',
      'sent',
    )
    expect(await scrape()).not.toContain('source_type="smtp"')
  })
})

describe('the depth of the queue', () => {
  it('is read at a scrape only, and cached for some seconds', async () => {
    await get('/things/1')
    expect(queueDepth).not.toHaveBeenCalled()
    expect(await scrape()).toContain('flowpost_queue_depth 7')
    queueDepth.mockResolvedValue(9)
    nowMs += depthCacheMs - 1
    expect(await scrape()).toContain('flowpost_queue_depth 7')
    expect(queueDepth).toHaveBeenCalledTimes(1)
    nowMs += 1
    expect(await scrape()).toContain('flowpost_queue_depth 9')
    expect(queueDepth).toHaveBeenCalledTimes(2)
  })

  it('is absent when it cannot be read, and other metrics are not', async () => {
    queueDepth.mockRejectedValue(new Error('away'))
    const response = await get('/metrics')
    const text = await response.text()
    expect(response.status).toBe(200)
    expect(text).not.toMatch(/^flowpost_queue_depth /m)
    expect(text).toContain('process_cpu_seconds_total')
    queueDepth.mockResolvedValue(3)
    nowMs += depthCacheMs
    expect(await scrape()).toContain('flowpost_queue_depth 3')
  })

  it('does not delay a scrape', { timeout: 10_000 }, async () => {
    queueDepth.mockReturnValue(new Promise(() => {}))
    const startedMs = performance.now()
    expect(await scrape()).not.toMatch(/^flowpost_queue_depth /m)
    expect(performance.now() - startedMs).toBeLessThan(5_000)
  })
})

describe('the page', () => {
  it('has the Prometheus text format', async () => {
    const response = await get('/metrics')
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    const text = await response.text()
    expect(text).toContain('flowpost_build_info{version="1.2.3"} 1')
    for (const line of text.split('\n').filter((each) => each !== ''))
      expect(line).toMatch(/^(# (HELP|TYPE) \S+ .+|[a-z_:][a-z0-9_:]*(\{[^}]*\})? (-?[\d.e+-]+|Nan|\+Inf))$/i)
  })
})
