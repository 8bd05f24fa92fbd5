import { createPlayer } from './player.ts'
import type { Step } from './step.ts'
import type { ModelTarget } from './target.ts'

/** Two servers answered differently. The message has the sequence, to be played again. */
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

/** Most lines of each side in a report. */
const mostLines = 30

/** The lines in which two texts differ, with a few around them. */
const differingLines = (a: string, b: string): string => {
  const [left, right] = [a.split('\n'), b.split('\n')]
  let from = 0
  while (from < left.length && left[from] === right[from]) from += 1
  let end = 0
  while (end < Math.min(left.length, right.length) - from && left.at(-1 - end) === right.at(-1 - end)) end += 1
  const part = (lines: readonly string[], mark: string) =>
    lines.slice(from, Math.min(lines.length - end, from + mostLines)).map((line) => `${mark} ${line}`)
  const around = left.slice(Math.max(0, from - 4), from).map((line) => `  ${line}`)
  return [...around, ...part(left, '-'), ...part(right, '+')].join('\n')
}

const report = (
  targets: readonly [ModelTarget, ModelTarget],
  steps: readonly Step[],
  at: number,
  seen: readonly [unknown, unknown],
): string =>
  [
    `${targets[0].name} (-) and ${targets[1].name} (+) differ at step ${at + 1} of ${steps.length}, ${steps[at]?.operation}:`,
    differingLines(show(seen[0]), show(seen[1])),
    'To play it again, give this to compareTargets:',
    JSON.stringify(steps.slice(0, at + 1)),
  ].join('\n')

/**
 * Plays a sequence on two servers and holds them against each other answer for answer.
 * @throws ModelDifference at the first answer that is not the same.
 */
export const compareTargets = async (targets: readonly [ModelTarget, ModelTarget], steps: readonly Step[]): Promise<void> => {
  const sequence = { run: randomRun(), startedAt: Date.now() }
  const [left, right] = [createPlayer(targets[0], sequence), createPlayer(targets[1], sequence)] as const
  try {
    for (const [at, step] of steps.entries()) {
      const seen = await Promise.all([left.play(step), right.play(step)])
      if (show(seen[0]) !== show(seen[1])) throw new ModelDifference(report(targets, steps, at, seen), steps.slice(0, at + 1))
    }
  } finally {
    await Promise.all([left.close(), right.close()])
  }
}
