import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { explain, FlowpostError } from '../../src/index.ts'
import { secretKey } from '../support/setup.ts'
import { type Fault, faults } from './matrix/faults.ts'
import { mainOperations, type Operation, otherOperations } from './matrix/operations.ts'
import { abortReason, type Outcome, runScenario, type Scenario } from './matrix/scenario.ts'

const isRetried = (operation: Operation, { retried }: Fault): boolean => retried === 'always' || (retried === 'if safe' && operation.isSafe)

/** Expects one idempotency key for all attempts, if the operation has one. */
const expectOneKey = ({ keys }: Outcome, { hasKey }: Operation) => {
  expect(keys.size).toBe(1)
  expect(keys.has(undefined)).toBe(!hasKey)
}

const expectDelays = (outcome: Outcome, { retryAfterMs = 0 }: Fault, retries: number) =>
  expect(outcome.delays).toEqual([250, 500].slice(0, retries).map((delay) => Math.max(delay, retryAfterMs)))

/** Expects the fault's error after the given number of attempts. */
const expectFailure = (outcome: Outcome, operation: Operation, fault: Fault, attempts: number, expected: object = {}) => {
  const error = outcome.result.status === 'rejected' ? outcome.result.reason : undefined
  expect(error).toBeInstanceOf(FlowpostError)
  expect(error).toMatchObject({ code: fault.code, status: fault.status, ...expected })
  expect(error.attempts).toHaveLength(operation.attemptsBefore + attempts)
  expect(outcome.requests).toBe(operation.before.length + attempts)
  expect(explain(error).split('\n').length).toBeLessThanOrEqual(8)
  expect(inspect([error, JSON.stringify(error)], { depth: 20, showHidden: true })).not.toContain(secretKey)
}

const expectAbort = (outcome: Outcome, operation: Operation) => {
  expect(outcome.result).toEqual({ status: 'rejected', reason: abortReason })
  expect(outcome.requests).toBe(operation.before.length + 1)
}

type Check = (outcome: Outcome, operation: Operation, fault: Fault) => void

const permanentScenarios: [string, Scenario, Check][] = [
  [
    'fails after one attempt',
    { failures: 1 },
    (outcome, operation, fault) => {
      expectFailure(outcome, operation, fault, 1)
      expectDelays(outcome, fault, 0)
    },
  ],
  ['rejects with the abort reason when it is aborted', { failures: 1, abort: 'in flight' }, expectAbort],
]

const transientScenarios: [string, Scenario, Check][] = [
  [
    'succeeds after a delay',
    { failures: 1 },
    (outcome, operation, fault) => {
      expect(outcome.result).toEqual({ status: 'fulfilled', value: operation.result })
      expect(outcome.requests).toBe(operation.before.length + 1 + operation.after.length)
      expectDelays(outcome, fault, 1)
      expectOneKey(outcome, operation)
    },
  ],
  ['fails after one attempt when retries are disabled', { failures: 1, maxRetries: 0 }, (...args) => expectFailure(...args, 1)],
  [
    'fails after the last retry',
    { failures: 3, maxRetries: 2 },
    (outcome, operation, fault) => {
      expectFailure(outcome, operation, fault, 3)
      expectDelays(outcome, fault, 2)
      expectOneKey(outcome, operation)
    },
  ],
  [
    'fails at its deadline',
    { failures: 1, timeout: 100 },
    (outcome, operation, fault) => {
      expectFailure(outcome, operation, fault, 1, fault.hangs ? { code: 'timeout' } : {})
      expectDelays(outcome, fault, 0)
    },
  ],
  ['rejects with the abort reason when it is aborted in flight', { failures: 1, abort: 'in flight' }, expectAbort],
  ['rejects with the abort reason when it is aborted in backoff', { failures: 1, abort: 'in backoff' }, expectAbort],
]

const casesOf = (operations: readonly Operation[], tried: readonly Fault[]) =>
  operations.flatMap((operation) =>
    tried
      .filter(({ validFor }) => !validFor?.includes(operation.method))
      .flatMap((fault) =>
        (isRetried(operation, fault) ? transientScenarios : permanentScenarios).map(
          ([outcome, scenario, check]) =>
            [`${operation.name} after ${fault.name} ${outcome}`, { operation, fault, scenario, check }] as const,
        ),
      ),
  )

const representative = ['404 not_found', '503 unavailable', 'a reset', 'a 200 that stalls', 'no response', 'a 302', 'an empty 200']
const cases = [
  ...casesOf(mainOperations, faults),
  ...casesOf(
    otherOperations,
    faults.filter(({ name }) => representative.includes(name)),
  ),
]

describe('a call to a hostile server', () => {
  it.each(cases)('%s', { timeout: 10_000 }, async (_, { operation, fault, scenario, check }) => {
    const outcome = await runScenario(operation, fault, scenario)
    check(outcome, operation, fault)
    expect(outcome.timers).toBe(0)
  })
})
