import type { SdkMeasurements } from './sdk/sdk-result.ts'
import { paired, type Spread, spreadOf } from './statistics.ts'

/** The bounds that a comparison or a figure should stay within. */
export interface Goal {
  readonly atLeast?: number
  readonly atMost?: number
}

/** The measurements of one side of a comparison: the baseline or the subject. */
export interface SideResult {
  readonly name: string
  readonly median: number
  /** The measurement of each round. */
  readonly rounds: readonly number[]
}

/** A comparison of a subject with its baseline. */
export interface Comparison {
  readonly id: string
  readonly title: string
  /** The unit of the measurements, such as `requests/s` or `ms`. */
  readonly unit: string
  readonly baseline: SideResult
  readonly subject: SideResult
  /** How the two measurements of a round are combined: `ratio` is subject / baseline, `difference` is subject - baseline. */
  readonly kind: 'ratio' | 'difference'
  readonly result: Spread
  /** The goal of `result`. If absent, the result is only reported. */
  readonly goal?: Goal
  /** The reason why the goal is not judged on this machine. */
  readonly notJudged?: string
}

/** A measured number that is not compared with a baseline. */
export interface Figure {
  readonly title: string
  readonly unit: string
  readonly value: number
  /** The goal of `value`. If absent, the value is only reported. */
  readonly goal?: Goal
  /** The reason why the goal is not judged in this run. */
  readonly notJudged?: string
}

/** All results of a run. */
export interface BenchResult {
  readonly startedAt: string
  readonly machine: {
    readonly cpu: string
    readonly cores: number
    readonly memoryGiB: number
    readonly system: string
    readonly node: string
    readonly postgres: string | null
    /** The version of the Redis server; `undefined` if the run used none. */
    readonly redis?: string
    /** The one-minute load average, measured before the run. */
    readonly loadBefore: number
  }
  readonly rounds: number
  readonly measuredMs: number
  readonly comparisons: readonly Comparison[]
  readonly figures: readonly Figure[]
  /** The measurements of the SDKs, if the run measured them. */
  readonly sdks?: SdkMeasurements
}

/** The description of a comparison, without its measurements. */
export type ComparisonHead = Pick<Comparison, 'id' | 'title' | 'unit' | 'goal' | 'notJudged'> & {
  readonly kind?: Comparison['kind']
  readonly baseline: string
  readonly subject: string
}

const combine = {
  ratio: (baseline: number, subject: number) => subject / baseline,
  difference: (baseline: number, subject: number) => subject - baseline,
}

const side = (name: string, rounds: readonly number[]): SideResult => ({ name, median: spreadOf(rounds).median, rounds })

/** Creates a comparison. `baseline` and `subject` contain one measurement per round. */
export const compare = (head: ComparisonHead, baseline: readonly number[], subject: readonly number[]): Comparison => {
  const { kind = 'ratio', ...rest } = head
  return {
    ...rest,
    kind,
    baseline: side(head.baseline, baseline),
    subject: side(head.subject, subject),
    result: spreadOf(paired(baseline, subject, combine[kind])),
  }
}

/** Returns whether a comparison or figure meets its goal. Returns `undefined` if it has no goal or has `notJudged`. */
export const isMet = (judged: Comparison | Figure): boolean | undefined => {
  const { goal, notJudged } = judged
  if (!goal || notJudged !== undefined) return undefined
  const value = 'result' in judged ? judged.result.median : judged.value
  return value >= (goal.atLeast ?? Number.NEGATIVE_INFINITY) && value <= (goal.atMost ?? Number.POSITIVE_INFINITY)
}
