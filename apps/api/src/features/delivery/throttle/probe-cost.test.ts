import type { FailureKind } from '@flowpost/domain'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { newUuid, type Uuid } from '../../../shared/ids.ts'
import type { SendResult } from '../attempts/send.ts'
import type { DelayedJob, Job } from '../queue/job.ts'
import { createCircuitBreakers } from './circuit-breaker.ts'
import { createOutcomeReporter } from './report-outcomes.ts'
import { type ThrottleDeps, throttle } from './throttle.ts'

const breakerKey = 'credential'
const attemptMs = 100
const maxClaim = 50
const canceledAtMs = 6_000

const newJob = (): Job => ({ deliveryId: newUuid(), userId: 'alice', projectId: newUuid(), sourceType: 'smtp', claim: 1, deferrals: 0 })

interface Simulation {
  readonly jobCount: number
  /** Whether every second job is canceled after 6 s, during one of the first probes. */
  readonly cancelsHalf?: boolean
  readonly durationMs: number
  /** The result of every attempt. */
  readonly result: SendResult
}

/**
 * Simulates a worker for some time after the breaker of its only credential has opened. Every attempt takes 100 ms. Returns
 * how many jobs were claimed, and how many attempts were made.
 */
const simulate = async ({ jobCount, cancelsHalf = false, durationMs, result }: Simulation) => {
  let nowMs = 0
  const breakers = createCircuitBreakers(() => nowMs)
  for (let failures = 0; failures < 5; failures += 1) breakers.failed(breakerKey, false)
  const rows = new Map<Uuid, { job: Job; dueAtMs: number }>()
  for (const job of Array.from({ length: jobCount }, newJob)) rows.set(job.deliveryId, { job, dueAtMs: 0 })
  const canceledIds = cancelsHalf ? [...rows.keys()].filter((_, index) => index % 2 === 1) : []
  const claim = (): Job[] => {
    const due = [...rows.values()].filter(({ dueAtMs }) => dueAtMs <= nowMs).slice(0, maxClaim)
    return due.map((row) => {
      row.job = { ...row.job, claim: row.job.claim + 1 }
      row.dueAtMs = Number.POSITIVE_INFINITY
      return row.job
    })
  }
  const reschedule = async (delayed: readonly DelayedJob[]) => {
    for (const { job, delayMs } of delayed) {
      const row = rows.get(job.deliveryId)
      if (row?.job.claim === job.claim) row.dueAtMs = nowMs + delayMs
    }
  }
  const deps = {
    database: { query: async (_: unknown, [ids]: [Uuid[]]) => ids.map((id) => ({ id, source_type: 'smtp', waiting_ms: 0 })) },
    registry: { get: () => ({ kind: 'email' }) },
    credentials: { find: async () => ({ id: breakerKey }) },
    breakers,
    clock: { now: () => new Date() },
    random: Math.random,
    retryPolicy: { budgetMs: 86_400_000 },
  } as unknown as ThrottleDeps
  const reporter = createOutcomeReporter({ queue: { reschedule }, breakers, log: pino({ level: 'silent' }), random: Math.random }, () => {})
  let claimed = 0
  let attempts = 0
  let probe: { readonly job: Job; readonly endsAt: number } | undefined
  for (; nowMs < durationMs; nowMs += 20) {
    if (probe && probe.endsAt <= nowMs) {
      rows.delete(probe.job.deliveryId)
      probe = undefined
      await reporter.report(result, breakerKey)
    }
    if (nowMs === canceledAtMs) for (const id of canceledIds) rows.delete(id)
    const due = claim()
    if (due.length === 0) continue
    claimed += due.length
    const throttled = await throttle(deps, due)
    await reschedule(throttled.delayed)
    await reporter.await(throttled)
    for (const job of throttled.ready) {
      attempts += 1
      probe = { job, endsAt: nowMs + attemptMs }
    }
  }
  return { claimed, attempts }
}

const failed = (kind: FailureKind, isAnswered: boolean): SendResult => ({
  outcome: { status: 'failed', failure: { kind, code: 'rejected', detail: 'Rejected.', retryable: kind !== 'content' }, response: '' },
  durationMs: attemptMs,
  breakerKey,
  isAnswered,
})

it.each<[string, SendResult]>([
  ['fails', failed('provider', true)],
  ['limits the rate', failed('rate', true)],
])('claims each waiting job about twice for each probe while the provider %s', async (_, result) => {
  const jobCount = 100
  const { claimed, attempts } = await simulate({ jobCount, durationMs: 5 * 60_000, result })
  expect(attempts).toBeGreaterThan(5)
  expect(attempts).toBeLessThan(10)
  expect(claimed).toBeLessThan(2.5 * jobCount * attempts)
})

it('attempts one job after another, with about ten claims for each, while no probe reaches the provider', async () => {
  const jobCount = 600
  const { claimed, attempts } = await simulate({ jobCount, durationMs: 80_000, result: failed('content', false) })
  expect(attempts).toBe(jobCount)
  expect(claimed).toBeLessThan(13 * jobCount)
})

it('does not wait for the due times of the waiting jobs when some of them have been canceled', async () => {
  const { attempts } = await simulate({ jobCount: 200, cancelsHalf: true, durationMs: 30_000, result: failed('content', false) })
  expect(attempts).toBeGreaterThanOrEqual(100)
})
