import { Registry } from 'prom-client'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { queueCacheMs, registerStateMetrics, type StateSources } from './state-metrics.ts'

let nowMs = 0
const state = { due: 4, leased: 1, waiting: 3, scheduled: 2, oldestDueSeconds: 1.5, maxUserDue: 3, maxUserScheduled: 1 }
const queueState = vi.fn<StateSources['queueState']>()
const isReady = vi.fn<() => Promise<boolean>>()
let scrape: () => Promise<string>

const scrapeFrom = (changes: Partial<StateSources> = {}): (() => Promise<string>) => {
  const registry = new Registry()
  const isOnHold = () => true
  const oldestUnpushedSeconds = async () => 2.5
  const sources = {
    nowMs: () => nowMs,
    queueState,
    oldestUnpushedSeconds,
    queueLimit: 100,
    clockSkewSeconds: () => -1.5,
    isReady,
    isOnHold,
    ...changes,
  }
  registerStateMetrics([registry], sources)
  return () => registry.metrics()
}

afterEach(() => void vi.useRealTimers())
beforeEach(() => {
  nowMs = 1_000_000
  queueState.mockReset().mockResolvedValue(state)
  isReady.mockReset().mockResolvedValue(true)
  scrape = scrapeFrom()
})

const ofQueue = /^flowpost_(?:queue_depth|queue_jobs\{.*\}|queue_max_user_jobs\{.*\}|oldest_due_seconds) /m

describe('the metrics of the queue', () => {
  it('are read only at a scrape, once for all of these metrics, and cached for some seconds', async () => {
    expect(queueState).not.toHaveBeenCalled()
    const text = await scrape()
    expect(text).toContain('flowpost_queue_depth 10')
    expect(text).toContain('flowpost_queue_jobs{state="due"} 4')
    expect(text).toContain('flowpost_queue_jobs{state="leased"} 1')
    expect(text).toContain('flowpost_queue_jobs{state="waiting"} 3')
    expect(text).toContain('flowpost_queue_jobs{state="scheduled"} 2')
    expect(text).toContain('flowpost_queue_max_user_jobs{state="due"} 3')
    expect(text).toContain('flowpost_queue_max_user_jobs{state="scheduled"} 1')
    expect(text).toContain('flowpost_oldest_due_seconds 1.5')
    expect(text).toContain('flowpost_queue_limit 100')
    queueState.mockResolvedValue({ ...state, due: 6 })
    nowMs += queueCacheMs - 1
    expect(await scrape()).toContain('flowpost_queue_depth 10')
    expect(queueState).toHaveBeenCalledTimes(1)
    nowMs += 1
    expect(await scrape()).toContain('flowpost_queue_depth 12')
    expect(queueState).toHaveBeenCalledTimes(2)
  })

  it('are cached longer when reading takes long', async () => {
    queueState.mockImplementation(async () => {
      nowMs += 1_000
      return state
    })
    await scrape()
    nowMs += 18_000
    await scrape()
    expect(queueState).toHaveBeenCalledTimes(1)
    nowMs += 2_000
    await scrape()
    expect(queueState).toHaveBeenCalledTimes(2)
  })

  it('are absent when they cannot be read, while other metrics remain', async () => {
    queueState.mockRejectedValue(new Error('away'))
    const text = await scrape()
    expect(text).not.toMatch(ofQueue)
    expect(text).toContain('flowpost_clock_skew_seconds -1.5')
    queueState.mockResolvedValue({ ...state, due: 0 })
    nowMs += queueCacheMs
    expect(await scrape()).toContain('flowpost_queue_depth 6')
  })

  it('are absent as soon as the database is unreachable, even if they are cached', async () => {
    expect(await scrape()).toMatch(ofQueue)
    isReady.mockResolvedValue(false)
    const text = await scrape()
    expect(text).not.toMatch(ofQueue)
    expect(text).toContain('flowpost_ready 0')
    isReady.mockResolvedValue(true)
    expect(await scrape()).toMatch(ofQueue)
  })

  it('have their last values while the next read takes longer than a scrape may wait', async () => {
    expect(await scrape()).toContain('flowpost_queue_depth 10')
    const slow = Promise.withResolvers<typeof state>()
    queueState.mockReturnValue(slow.promise)
    nowMs += queueCacheMs
    vi.useFakeTimers()
    const page = scrape()
    await vi.advanceTimersByTimeAsync(2_000)
    expect(await page).toContain('flowpost_queue_depth 10')
    slow.resolve({ ...state, due: 6 })
    expect(await scrape()).toContain('flowpost_queue_depth 12')
    queueState.mockRejectedValue(new Error('away'))
    nowMs += 60_000
    expect(await scrape()).not.toMatch(ofQueue)
  })

  it('are absent after an outage until a read completes', async () => {
    await scrape()
    isReady.mockResolvedValue(false)
    await scrape()
    isReady.mockResolvedValue(true)
    queueState.mockReturnValue(new Promise(() => {}))
    nowMs += queueCacheMs
    vi.useFakeTimers()
    const page = scrape()
    await vi.advanceTimersByTimeAsync(2_000)
    expect(await page).not.toMatch(ofQueue)
  })

  it('do not delay a scrape, and are not read again before the last read ends', async () => {
    queueState.mockReturnValue(new Promise(() => {}))
    const startedMs = performance.now()
    expect(await scrape()).not.toMatch(ofQueue)
    expect(performance.now() - startedMs).toBeLessThan(5_000)
    nowMs += 3_600_000
    await scrape()
    expect(queueState).toHaveBeenCalledTimes(1)
  })
})

describe('a hold', () => {
  it('is exported as 1, and its absence as 0', async () => {
    expect(await scrape()).toContain('flowpost_on_hold 1')
    expect(await scrapeFrom({ isOnHold: () => false })()).toContain('flowpost_on_hold 0')
  })
})

describe('readiness', () => {
  it('is checked once for each scrape', async () => {
    expect(await scrape()).toContain('flowpost_ready 1')
    expect(isReady).toHaveBeenCalledTimes(1)
  })
})

describe('the metrics of the connection pool', () => {
  it('show the used and idle connections, the waiting callers and the limit', async () => {
    const text = await scrapeFrom({ poolUsage: () => ({ inUse: 20, idle: 0, waiting: 5, limit: 20 }) })()
    expect(text).toContain('flowpost_database_pool_connections{state="in_use"} 20')
    expect(text).toContain('flowpost_database_pool_connections{state="idle"} 0')
    expect(text).toContain('flowpost_database_pool_waiting 5')
    expect(text).toContain('flowpost_database_pool_limit 20')
  })

  it('are absent without a pool', async () => {
    expect(await scrape()).not.toMatch(/^flowpost_database_pool_/m)
  })
})
