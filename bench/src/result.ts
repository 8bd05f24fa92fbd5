import { paired, type Spread, spreadOf } from './statistics.ts'

/** The target of a comparison or a figure. */
export interface Goal {
  readonly atLeast?: number
  readonly atMost?: number
}

/** One side of a comparison. */
export interface SideResult {
  readonly name: string
  readonly median: number
  /** Each round. */
  readonly rounds: readonly number[]
}

/** A comparison of the server with its baseline. */
export interface Comparison {
  readonly id: string
  readonly title: string
  /** Of what is measured, as `requests/s` or `ms`. */
  readonly unit: string
  readonly baseline: SideResult
  readonly subject: SideResult
  /** How both were combined, round by round: `ratio` is subject / baseline, `difference` subject - baseline. */
  readonly kind: 'ratio' | 'difference'
  readonly result: Spread
  /** None: reported only. */
  readonly goal?: Goal
  /** Why a goal is not judged on this machine. */
  readonly notJudged?: string
}

/** A number without a baseline. */
export interface Figure {
  readonly title: string
  readonly unit: string
  readonly value: number
  /** None: reported only. */
  readonly goal?: Goal
  /** Why the goal is not judged in this run. */
  readonly notJudged?: string
}

/** Everything that a run found. */
export interface BenchResult {
  readonly startedAt: string
  readonly machine: {
    readonly cpu: string
    readonly cores: number
    readonly memoryGiB: number
    readonly system: string
    readonly node: string
    readonly postgres: string | null
    /** The version of the Redis server, when the run used one. */
    readonly redis?: string
    /** Processes that wanted to run before anything was measured, over one minute. */
    readonly loadBefore: number
  }
  readonly rounds: number
  readonly measuredMs: number
  readonly comparisons: readonly Comparison[]
  readonly figures: readonly Figure[]
}

/** What a comparison says about itself. */
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

/** Compares the rounds of two sides. */
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

/** Whether a comparison or a figure reaches its goal; `undefined` when it has none, or cannot be judged here. */
export const isMet = (judged: Comparison | Figure): boolean | undefined => {
  const { goal, notJudged } = judged
  if (!goal || notJudged !== undefined) return undefined
  const value = 'result' in judged ? judged.result.median : judged.value
  return value >= (goal.atLeast ?? Number.NEGATIVE_INFINITY) && value <= (goal.atMost ?? Number.POSITIVE_INFINITY)
}
