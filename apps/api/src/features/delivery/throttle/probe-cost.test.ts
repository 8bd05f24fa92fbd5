import type { FailureKind } from '@flowpost/domain'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { newUuid, type Uuid } from '../../../shared/ids.ts'
import type { SendResult } from '../attempts/send.ts'
import type { DelayedJob, Job } from '../queue/job.ts'
import { createCircuitBreakers } from './circuit-breaker.ts'
import { createOutcomeReporter } from './report-outcomes.ts'
import { type ThrottleDeps, throttle } from './throttle.ts'

const credentialId = 'credential'
const jobCount = 100
const attemptMs = 100
const maxClaim = 50

const newJob = (): Job => ({ deliveryId: newUuid(), userId: 'alice', projectId: newUuid(), sourceType: 'smtp', claim: 1, deferrals: 0 })

/**
 * Simulates a worker for some time after the breaker of its only credential has opened. Every attempt takes 100 ms and has
 * the given result. Returns how many jobs were claimed, and how many attempts were made.
 */
const simulate = async (durationMs: number, result: SendResult) => {
  let nowMs = 0
  const breakers = createCircuitBreakers(() => nowMs)
  for (let failures = 0; failures < 5; failures += 1) breakers.failed(credentialId, false)
  const jobs = Array.from({ length: jobCount }, newJob)
  const dueAt = new Map<Uuid, number>(jobs.map(({ deliveryId }) => [deliveryId, 0]))
  const reschedule = async (delayed: readonly DelayedJob[]) => {
    for (const { job, delayMs } of delayed) if (dueAt.has(job.deliveryId)) dueAt.set(job.deliveryId, nowMs + delayMs)
  }
  const deps = {
    database: { query: async (_: unknown, [ids]: [Uuid[]]) => ids.map((id) => ({ id, source_type: 'smtp', waiting_ms: 0 })) },
    registry: { get: () => ({ kind: 'email' }) },
    credentials: { find: async () => ({ id: credentialId }) },
    breakers,
    clock: { now: () => new Date() },
    random: Math.random,
    budgetMs: 86_400_000,
  } as unknown as ThrottleDeps
  const reporter = createOutcomeReporter({ queue: { reschedule }, breakers, log: pino({ level: 'silent' }), random: Math.random }, () => {})
  let claimed = 0
  let attempts = 0
  let probe: { readonly job: Job; readonly endsAt: number } | undefined
  for (; nowMs < durationMs; nowMs += 20) {
    if (probe && probe.endsAt <= nowMs) {
      dueAt.delete(probe.job.deliveryId)
      probe = undefined
      await reporter.report(result, credentialId)
    }
    const due = jobs.filter(({ deliveryId }) => (dueAt.get(deliveryId) ?? Number.POSITIVE_INFINITY) <= nowMs).slice(0, maxClaim)
    if (due.length === 0) continue
    claimed += due.length
    const throttled = await throttle(deps, due)
    await reschedule(throttled.delayed)
    await reporter.await(throttled)
    for (const job of throttled.ready) {
      dueAt.set(job.deliveryId, Number.POSITIVE_INFINITY)
      attempts += 1
      probe = { job, endsAt: nowMs + attemptMs }
    }
  }
  return { claimed, attempts }
}

const failed = (kind: FailureKind, isAnswered: boolean): SendResult => ({
  outcome: { status: 'failed', failure: { kind, code: 'rejected', detail: 'Rejected.', retryable: false }, response: '' },
  durationMs: attemptMs,
  credentialId,
  isAnswered,
})

it.each<[string, SendResult]>([
  ['fails', failed('provider', true)],
  ['limits the rate', failed('rate', true)],
])('claims each waiting job about twice for each probe while the provider %s', async (_, result) => {
  const { claimed, attempts } = await simulate(5 * 60_000, result)
  expect(attempts).toBeGreaterThan(5)
  expect(attempts).toBeLessThan(10)
  expect(claimed).toBeLessThan(2.5 * jobCount * attempts)
})

it('claims one more job for each probe that does not reach the provider', async () => {
  const { claimed, attempts } = await simulate(20_000, failed('content', false))
  expect(attempts).toBe(jobCount)
  // The jobs that continue to wait are claimed again when the wait ends that they were given at their last claim.
  expect(claimed).toBeLessThan(6 * jobCount)
})
