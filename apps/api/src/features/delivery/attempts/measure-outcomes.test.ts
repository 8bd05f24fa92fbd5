import { expect, it, vi } from 'vitest'
import { measureOutcomes } from './measure-outcomes.ts'
import type { RecordedAttempt } from './record-outcomes.ts'

const now = new Date('2026-11-22T10:00:30Z')

const measure = (status: string, outcome: object, test = false) => {
  const counters = { processed: vi.fn(), recordingFailed: vi.fn(), watchBreakers: vi.fn() }
  const metrics = { attempted: vi.fn(), settled: vi.fn(), delivered: vi.fn(), ...counters }
  const attempt = { test, source_type: 'smtp', created_at: '2026-11-20 10:00:00+00', ready_at: '2026-11-22 10:00:00.5+00' }
  measureOutcomes(metrics, now, [{ attempt, outcome, status, durationMs: 1 } as unknown as RecordedAttempt])
  return metrics
}

it('measures the latency of a sent delivery from when it was first due', () => {
  const metrics = measure('sent', { status: 'sent' })
  expect(metrics.attempted.mock.calls).toEqual([['smtp', 'sent']])
  expect(metrics.settled.mock.calls).toEqual([['smtp', 'sent', undefined]])
  expect(metrics.delivered.mock.calls).toEqual([['smtp', 29.5]])
})

it('counts a captured message as sent', () => {
  const metrics = measure('sent', { status: 'sent', captured: {} })
  expect(metrics.attempted.mock.calls).toEqual([['smtp', 'captured']])
  expect(metrics.settled.mock.calls).toEqual([['smtp', 'sent', undefined]])
})

it('counts a failed delivery by failure kind, and records no latency', () => {
  const metrics = measure('failed', { status: 'failed', failure: { kind: 'target' } })
  expect(metrics.settled.mock.calls).toEqual([['smtp', 'failed', 'target']])
  expect(metrics.delivered).not.toHaveBeenCalled()
})

it('does not count a delivery as settled if it will be retried', () => {
  const metrics = measure('retrying', { status: 'retrying', failure: { kind: 'provider' } })
  expect(metrics.attempted.mock.calls).toEqual([['smtp', 'retrying']])
  expect(metrics.settled).not.toHaveBeenCalled()
})

it('counts a delivery that was canceled during its attempt as canceled', () => {
  const metrics = measure('canceled', { status: 'retrying', failure: { kind: 'provider' } })
  expect(metrics.attempted.mock.calls).toEqual([['smtp', 'retrying']])
  expect(metrics.settled.mock.calls).toEqual([['smtp', 'canceled', 'provider']])
})

it('counts a test message only as a processed job', () => {
  const metrics = measure('sent', { status: 'sent', captured: {} }, true)
  expect(metrics.processed.mock.calls).toEqual([[1]])
  expect(metrics.attempted).not.toHaveBeenCalled()
  expect(metrics.settled).not.toHaveBeenCalled()
  expect(metrics.delivered).not.toHaveBeenCalled()
})
