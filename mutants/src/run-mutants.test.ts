import { describe, expect, it } from 'vitest'
import type { Check } from './checks.ts'
import type { Kind, Mutant } from './mutant.ts'
import { isSuccess, summaryLines } from './report.ts'
import type { MutatedProgram } from './run-mutant.ts'
import { BaselineFailure, type MutantResult, runMutants } from './run-mutants.ts'

/** The number that a program returns. A mutant replaces it. */
const healthy = '1'

interface FakeProgram extends MutatedProgram {
  readonly value: string
}

const createMutant = (fields: Partial<Mutant> = {}): Mutant => ({
  name: 'returns another number',
  file: 'packages/testing/src/mock.ts',
  find: healthy,
  replace: '2',
  killedBy: /^returns/,
  ...fields,
})

const checkOf = (name: string, fails: (value: string) => boolean): Check => ({
  name,
  run: async (subject) => {
    const { value } = subject as FakeProgram
    if (value === 'hangs') await new Promise(() => {})
    if (fails(value)) throw new Error(`The number is ${value}.`)
  },
})

const checks = [checkOf('starts', () => false), checkOf('returns 1', (value) => value === '2'), checkOf('is odd', (value) => value === '4')]

interface RunOptions {
  readonly isLoaded?: boolean
  readonly start?: (mutant: Mutant | undefined) => Promise<void>
  readonly baseline?: string
}

const run = async (mutants: readonly Mutant[], { isLoaded = true, start = async () => {}, baseline = healthy }: RunOptions = {}) => {
  const open = new Set<FakeProgram>()
  const reported: MutantResult[] = []
  const createProgram = (_kind: Kind, mutant?: Mutant): MutatedProgram => {
    const program: FakeProgram = {
      value: mutant?.replace ?? baseline,
      start: () => start(mutant),
      deployments: () => Promise.reject(new Error('not used')),
      modelTargets: () => Promise.reject(new Error('not used')),
      hasLoaded: () => isLoaded,
      [Symbol.asyncDispose]: async () => void open.delete(program),
    }
    open.add(program)
    return program
  }
  const results = await runMutants({
    mutants,
    checks,
    createProgram,
    jobs: 2,
    checkTimeoutMs: 50,
    onResult: (result) => reported.push(result),
  }).finally(() => expect(open.size).toBe(0))
  expect(reported).toHaveLength(results.length)
  return results
}

const verdictOf = async (mutant: Mutant, options?: RunOptions) => (await run([mutant], options))[0]?.verdict

describe('a mutant', () => {
  it('is killed by the check that it names', async () => {
    expect(await verdictOf(createMutant())).toEqual({
      outcome: 'killed',
      by: 'returns 1',
      isExpected: true,
      reason: 'The number is 2.',
    })
  })

  it('is killed by another check if the check that it names passes', async () => {
    expect(await verdictOf(createMutant({ replace: '4' }))).toMatchObject({ outcome: 'killed', by: 'is odd', isExpected: false })
  })

  it('is killed by a check that does not end', async () => {
    expect(await verdictOf(createMutant({ replace: 'hangs' }))).toMatchObject({
      outcome: 'killed',
      reason: 'The check did not end within 0.05 s.',
    })
  })

  it('survives if every check passes', async () => {
    const results = await run([createMutant(), createMutant({ name: 'does nothing', replace: '3' })])
    expect(results.map(({ verdict }) => verdict.outcome)).toEqual(['killed', 'survived'])
    expect(isSuccess(results)).toBe(false)
    expect(summaryLines(results, 2_000)).toEqual([
      expect.stringMatching(/^SURVIVED .* mock {4}does nothing <- no check failed; changed file: packages\/testing\/src\/mock\.ts$/),
      '2 mutants (0 server, 2 mock): 1 killed, 1 survived, 0 invalid; 2 s',
    ])
  })

  it('is invalid if the program does not start', async () => {
    const start = (mutant: Mutant | undefined) => (mutant ? Promise.reject(new Error('SyntaxError')) : Promise.resolve())
    const results = await run([createMutant()], { start })
    expect(results[0]?.verdict).toEqual({ outcome: 'invalid', reason: 'SyntaxError' })
    expect(isSuccess(results)).toBe(false)
  })

  it('is invalid if the program does not load the changed file', async () => {
    const reason = 'The program did not load packages/testing/src/mock.ts.'
    expect(await verdictOf(createMutant(), { isLoaded: false })).toEqual({ outcome: 'invalid', reason })
    expect(await verdictOf(createMutant({ replace: '3' }), { isLoaded: false })).toEqual({ outcome: 'invalid', reason })
  })

  it('is invalid if it names no check', async () => {
    expect(await verdictOf(createMutant({ killedBy: /nothing/ }))).toEqual({
      outcome: 'invalid',
      reason: "No check matches the mutant's killedBy: /nothing/.",
    })
  })
})

describe('a run', () => {
  it('fails if a check that a mutant names also fails without the mutant', async () => {
    await expect(run([createMutant()], { baseline: '2' })).rejects.toThrow(BaselineFailure)
    await expect(run([createMutant()], { baseline: '2' })).rejects.toThrow('A check fails on the original mock: returns 1')
  })

  it('fails if a check that no mutant names kills a mutant, but also fails without the mutant', async () => {
    await expect(run([createMutant({ replace: '4' })], { baseline: '4' })).rejects.toThrow('A check fails on the original mock: is odd')
  })

  it('succeeds if every mutant is killed', async () => {
    const results = await run([createMutant(), createMutant({ name: 'b' }), createMutant({ name: 'c' })])
    expect(results.map(({ mutant }) => mutant.name)).toEqual(['returns another number', 'b', 'c'])
    expect(isSuccess(results)).toBe(true)
  })
})
