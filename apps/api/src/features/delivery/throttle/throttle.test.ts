import { expect, it, vi } from 'vitest'
import { newUuid } from '../../../shared/ids.ts'
import { type CircuitBreakers, createCircuitBreakers } from './circuit-breaker.ts'
import { type ThrottleDeps, throttle } from './throttle.ts'

const budgetMs = 60_000

/** Creates the breakers for a process. The breaker for `credential` has just opened. */
const createOpenBreaker = (nowMs: () => number) => {
  const breakers = createCircuitBreakers(nowMs)
  for (let failures = 0; failures < 5; failures += 1) breakers.failed('credential', false)
  return breakers
}

const findCredential = async () => ({ id: 'credential' })

/** Calls `throttle` with jobs. The database returns their deliveries for the first query, and rejects all later queries. */
const throttleMessages = async (
  count: number,
  breakers: CircuitBreakers,
  kind: 'email' | 'chat',
  waitingMs: number,
  find = findCredential,
  capturesAll = false,
) => {
  const jobs = Array.from({ length: count }, () => ({
    deliveryId: newUuid(),
    projectId: newUuid(),
    userId: 'alice',
    sourceType: 'any',
    claim: 1,
    deferrals: 0,
  }))
  const deliveries = jobs.map(({ deliveryId, projectId }) => ({
    id: deliveryId,
    user_id: 'alice',
    project_id: projectId,
    source_type: 'any',
    waiting_ms: waitingMs,
  }))
  const deps = {
    database: { query: vi.fn().mockResolvedValueOnce(deliveries).mockRejectedValue(new Error('The database is away.')) },
    registry: { get: () => ({ kind }) },
    credentials: { find },
    breakers,
    clock: { now: () => new Date() },
    random: () => 0,
    retryPolicy: { budgetMs },
    capturesAll,
  } as unknown as ThrottleDeps
  return throttle(deps, jobs)
}

const throttleMessage = (breakers: CircuitBreakers, kind: 'email' | 'chat', waitingMs: number) =>
  throttleMessages(1, breakers, kind, waitingMs)

/** Throttles a message that has waited for `waitingMs` milliseconds. Its provider has been failing for `outageMs` milliseconds. */
const throttleDuringOutage = async (waitingMs: number, outageMs: number) => {
  let nowMs = 0
  const breakers = createOpenBreaker(() => nowMs)
  // Probes that fail keep the breaker open.
  for (nowMs = 1_000; nowMs < outageMs; nowMs += 1_000)
    if (breakers.admit('credential', 'probe').admitted) breakers.failed('credential', true)
  return throttleMessage(breakers, 'email', waitingMs)
}

it('admits a message that an outage has delayed for longer than the retry budget', async () => {
  expect((await throttleDuringOutage(budgetMs + 1_000, budgetMs + 2_000)).ready).toHaveLength(1)
})

it('delays a message even if it was scheduled days ago', async () => {
  expect((await throttleDuringOutage(10 * budgetMs, 2_000)).delayed).toHaveLength(1)
})

it('delays no message while all messages are captured, even if the circuit breaker is open', async () => {
  const breakers = createOpenBreaker(() => 0)
  expect((await throttleMessages(1, breakers, 'chat', 0, findCredential, true)).ready).toHaveLength(1)
})

it('does not count a delay caused by an outage as a slot reservation', async () => {
  expect((await throttleDuringOutage(1_000, 2_000)).delayed).toMatchObject([{ deferrals: 0 }])
})

it('admits another probe when reserving slots fails', async () => {
  let nowMs = 0
  const breakers = createOpenBreaker(() => nowMs)
  nowMs = 5_000
  await expect(throttleMessage(breakers, 'chat', 0)).rejects.toThrow('The database is away.')
  expect(breakers.admit('credential', 'probe')).toEqual({ admitted: true, isProbe: true })
})

it('admits another probe when a credential cannot be read', async () => {
  let nowMs = 0
  const breakers = createOpenBreaker(() => nowMs)
  nowMs = 5_000
  const find = vi.fn().mockResolvedValueOnce({ id: 'credential' }).mockRejectedValue(new Error('The database is away.'))
  await expect(throttleMessages(2, breakers, 'email', 0, find)).rejects.toThrow('The database is away.')
  expect(breakers.admit('credential', 'probe')).toEqual({ admitted: true, isProbe: true })
})
