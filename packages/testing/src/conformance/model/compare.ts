import type { ModelTarget, Step } from './sequence.ts'
import { createStepRunner } from './step-runner.ts'

/** The responses of two servers differ. The message contains the sequence to reproduce it. */
export class ModelDifference extends Error {
  override readonly name = 'ModelDifference'
  readonly steps: readonly Step[]

  constructor(message: string, steps: readonly Step[]) {
    super(message)
    this.steps = steps
  }
}

const randomRun = (): string => Array.from(crypto.getRandomValues(new Uint8Array(6)), (byte) => byte.toString(16).padStart(2, '0')).join('')

const show = (value: unknown): string => JSON.stringify(value, undefined, 2) ?? 'undefined'

/** Maximum number of lines per server in a report. */
const maxLines = 30

/** Returns the differing lines of two texts with some context. */
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

const report = (
  targets: readonly [ModelTarget, ModelTarget],
  steps: readonly Step[],
  index: number,
  results: readonly [unknown, unknown],
): string =>
  [
    `${targets[0].name} (-) and ${targets[1].name} (+) differ at step ${index + 1} of ${steps.length}, ${steps[index]?.operation}:`,
    differingLines(show(results[0]), show(results[1])),
    'To reproduce it, pass this sequence to compareTargets:',
    JSON.stringify(steps.slice(0, index + 1)),
  ].join('\n')

/**
 * Runs a sequence on two servers and compares each response.
 *
 * @throws {ModelDifference} At the first difference.
 */
export const compareTargets = async (targets: readonly [ModelTarget, ModelTarget], steps: readonly Step[]): Promise<void> => {
  const sequence = { run: randomRun(), startedAt: Date.now() }
  const [left, right] = [createStepRunner(targets[0], sequence), createStepRunner(targets[1], sequence)] as const
  try {
    for (const [index, step] of steps.entries()) {
      const results = await Promise.all([left.run(step), right.run(step)])
      if (show(results[0]) !== show(results[1]))
        throw new ModelDifference(report(targets, steps, index, results), steps.slice(0, index + 1))
    }
  } finally {
    await Promise.all([left.close(), right.close()])
  }
}
