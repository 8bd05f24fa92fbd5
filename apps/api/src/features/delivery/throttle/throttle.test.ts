import { expect, it, vi } from 'vitest'
import { newUuid } from '../../../shared/ids.ts'
import { createCircuitBreakers } from './circuit-breaker.ts'
import { type ThrottleDeps, throttle } from './throttle.ts'

const budgetMs = 60_000

const newJob = () => ({ deliveryId: newUuid(), userId: 'alice', projectId: newUuid(), sourceType: 'smtp', claim: 1, deferrals: 0 })

/** Throttles a message that has waited for `waitingMs`, for a provider that has failed for `outageMs`. */
const throttleOne = async (waitingMs: number, outageMs: number) => {
  let nowMs = 0
  const breakers = createCircuitBreakers(() => nowMs)
  for (let failures = 0; failures < 5; failures += 1) breakers.failed('credential', false)
  // A probe that fails each time keeps the breaker open.
  for (nowMs = 1_000; nowMs < outageMs; nowMs += 1_000) if (breakers.admit('credential').admitted) breakers.failed('credential', true)
  const job = newJob()
  const delivery = { id: job.deliveryId, user_id: 'alice', project_id: job.projectId, source_type: 'smtp', waiting_ms: waitingMs }
  const deps = {
    database: { query: async () => [delivery] },
    registry: { get: () => ({ kind: 'email' }) },
    credentials: { find: async () => ({ id: 'credential' }) },
    breakers,
    clock: { now: () => new Date() },
    random: () => 0,
    budgetMs,
  } as unknown as ThrottleDeps
  return throttle(deps, [job])
}

it('admits a message that an outage has delayed for the retry budget', async () => {
  expect((await throttleOne(budgetMs + 1_000, budgetMs + 2_000)).ready).toHaveLength(1)
})

it('delays a message that was scheduled days ago like any other message', async () => {
  expect((await throttleOne(10 * budgetMs, 2_000)).delayed).toHaveLength(1)
})

it('does not count the delay by an outage as a reservation of a slot', async () => {
  expect((await throttleOne(1_000, 2_000)).delayed).toMatchObject([{ forSlot: false }])
})

it('frees the probe of a failing provider when reserving slots fails', async () => {
  let nowMs = 0
  const breakers = createCircuitBreakers(() => nowMs)
  for (let failures = 0; failures < 5; failures += 1) breakers.failed('credential', false)
  nowMs = 5_000
  const job = newJob()
  const delivery = { id: job.deliveryId, user_id: 'alice', project_id: job.projectId, source_type: 'slack', target: '#ops', waiting_ms: 0 }
  const query = vi.fn().mockResolvedValueOnce([delivery]).mockRejectedValueOnce(new Error('The database is away.'))
  const deps = {
    database: { query },
    registry: { get: () => ({ kind: 'chat' }) },
    credentials: { find: async () => ({ id: 'credential' }) },
    breakers,
    clock: { now: () => new Date() },
    random: () => 0,
    budgetMs,
  } as unknown as ThrottleDeps
  await expect(throttle(deps, [job])).rejects.toThrow('The database is away.')
  expect(breakers.admit('credential')).toEqual({ admitted: true, isProbe: true })
})
