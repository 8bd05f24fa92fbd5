import { MockContractError } from '../../http/contract-check.ts'
import { ConformanceFailure } from '../assertions.ts'
import type { ModelTarget, Step } from './sequence.ts'
import { createStepRunner, type StepRunner } from './step-runner.ts'

/** An error for responses that differ between two servers or violate the contract. Its message includes the steps. */
export class ModelDifference extends Error {
  override readonly name = 'ModelDifference'
  readonly steps: readonly Step[]

  constructor(message: string, steps: readonly Step[]) {
    super(message)
    this.steps = steps
  }
}

type Pair<T> = readonly [T, T]

const randomRun = (): string => Array.from(crypto.getRandomValues(new Uint8Array(6)), (byte) => byte.toString(16).padStart(2, '0')).join('')

const show = (value: unknown): string => JSON.stringify(value, undefined, 2) ?? 'undefined'

/** Maximum number of lines per server in a report. */
const maxLines = 30

/**
 * Returns the lines from the first to the last difference between two texts, at most {@link maxLines} per text. Up to four
 * equal lines precede them as context.
 */
const differingLines = (a: string, b: string): string => {
  const [left, right] = [a.split('\n'), b.split('\n')]
  let from = 0
  while (from < left.length && left[from] === right[from]) from += 1
  let end = 0
  while (end < Math.min(left.length, right.length) - from && left.at(-1 - end) === right.at(-1 - end)) end += 1
  const part = (lines: readonly string[], mark: string) =>
    lines.slice(from, Math.min(lines.length - end, from + maxLines)).map((line) => `${mark} ${line}`)
  const around = left.slice(Math.max(0, from - 4), from).map((line) => `  ${line}`)
  return [...around, ...part(left, '-'), ...part(right, '+')].join('\n')
}

const report = (title: string, details: string, steps: readonly Step[]): string =>
  [title, details, 'To reproduce the difference, pass this sequence to compareTargets:', JSON.stringify(steps)].join('\n')

/** Runs a step on both servers. Returns the problem if the responses differ or one violates the contract. */
const runStep = async (
  targets: Pair<ModelTarget>,
  runners: Pair<StepRunner>,
  step: Step,
): Promise<{ title: string; details: string } | undefined> => {
  const settled = await Promise.allSettled([runners[0].run(step), runners[1].run(step)])
  for (const [index, result] of settled.entries()) {
    if (result.status === 'fulfilled') continue
    const { reason } = result
    if (!(reason instanceof ConformanceFailure || reason instanceof MockContractError)) throw reason
    return { title: `${targets[index]?.name} violates the contract`, details: reason.message }
  }
  const [left, right] = settled.map((result) => show(result.status === 'fulfilled' && result.value)) as [string, string]
  return left === right
    ? undefined
    : { title: `${targets[0].name} (-) and ${targets[1].name} (+) differ`, details: differingLines(left, right) }
}

/**
 * Runs a sequence on two servers and compares the responses. Deletes the sequence's projects and API keys afterwards.
 *
 * - Steps that advance the time are skipped unless both servers have a clock.
 * - Unless both servers have `mayDeliver`, all messages are scheduled days ahead.
 *
 * @throws {ModelDifference} At the first difference or contract violation.
 */
export const compareTargets = async (targets: readonly [ModelTarget, ModelTarget], steps: readonly Step[]): Promise<void> => {
  const hasClocks = targets.every(({ clock }) => clock !== undefined)
  const mayDeliver = targets.every((target) => target.mayDeliver === true)
  const chosen = steps.filter(({ advanceMs }) => hasClocks || advanceMs === undefined)
  const sequence = { run: randomRun(), mayDeliver }
  const runners = [createStepRunner(targets[0], sequence), createStepRunner(targets[1], sequence)] as const
  const close = () => Promise.all(runners.map((runner) => runner.close()))
  try {
    for (const [index, step] of chosen.entries()) {
      const problem = await runStep(targets, runners, step)
      if (!problem) continue
      const upTo = chosen.slice(0, index + 1)
      const where = `at step ${index + 1} of ${chosen.length}, ${step.operation}:`
      throw new ModelDifference(report(`${problem.title} ${where}`, problem.details, upTo), upTo)
    }
  } catch (error) {
    // The comparison's error is more relevant than an error during the cleanup.
    await close().catch(() => {})
    throw error
  }
  await close()
}
