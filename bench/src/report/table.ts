import { type BenchResult, type Comparison, type Figure, type Goal, isMet } from '../result.ts'
import { formatNumber, formatRatio } from './format-number.ts'

const verdict = (judged: Comparison | Figure): string => {
  if (!judged.goal) return 'reported'
  if (judged.notJudged !== undefined) return `not judged: ${judged.notJudged}`
  return isMet(judged) ? 'met' : '**missed**'
}

const boundOf = (goal: Goal | undefined, format: (bound: number) => string): string => {
  if (goal?.atLeast !== undefined) return `at least ${format(goal.atLeast)}`
  if (goal?.atMost !== undefined) return `at most ${format(goal.atMost)}`
  return ''
}

const goalOf = ({ goal, unit, kind }: Comparison): string =>
  boundOf(goal, (bound) => (kind === 'ratio' ? formatRatio(bound) : `${formatNumber(bound)} ${unit}`))

const resultOf = ({ kind, unit, result: { median, low, high } }: Comparison): string =>
  kind === 'ratio'
    ? `${formatRatio(median)} (${formatRatio(low)} to ${formatRatio(high)})`
    : `+${formatNumber(median)} ${unit} (${formatNumber(low)} to ${formatNumber(high)})`

/** Formats a Markdown table with aligned columns, so that it is also readable in a terminal. */
export const table = (rows: readonly (readonly string[])[]): string => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const line = (cells: readonly string[]) => `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  const [head = [], ...body] = rows
  return [line(head), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...body.map(line)].join('\n')
}

/** Formats comparisons as a table: both results, their ratio or difference, the goal and the verdict. */
export const comparisonTable = (comparisons: readonly Comparison[]): string =>
  table([
    ['Measurement', 'Baseline', 'Baseline result', 'Flowpost result', 'Flowpost to baseline', 'Goal', 'Verdict'],
    ...comparisons.map((comparison) => [
      comparison.subject.name === 'Flowpost' ? comparison.title : `${comparison.title}, ${comparison.subject.name}`,
      comparison.baseline.name,
      `${formatNumber(comparison.baseline.median)} ${comparison.unit}`,
      `${formatNumber(comparison.subject.median)} ${comparison.unit}`,
      resultOf(comparison),
      goalOf(comparison),
      verdict(comparison),
    ]),
  ])

/** Formats figures as a table, with columns for goals and verdicts if any figure has a goal. */
export const figureTable = (figures: BenchResult['figures']): string => {
  const withGoals = figures.some(({ goal }) => goal !== undefined)
  const judgement = (figure: Figure) => [
    boundOf(figure.goal, (bound) => `${formatNumber(bound)} ${figure.unit}`),
    figure.goal ? verdict(figure) : '',
  ]
  return table([
    ['Measurement', 'Value', ...(withGoals ? ['Goal', 'Verdict'] : [])],
    ...figures.map((figure) => [figure.title, `${formatNumber(figure.value)} ${figure.unit}`, ...(withGoals ? judgement(figure) : [])]),
  ])
}

const busyShare = 0.25

/** Describes when and where a run took place. */
export const machineText = ({ machine, startedAt }: Pick<BenchResult, 'machine' | 'startedAt'>): string => {
  const { cpu, cores, memoryGiB, system, node } = machine
  return `${startedAt.slice(0, 10)}, ${cpu}, ${cores} cores, ${memoryGiB} GiB, ${system}, Node ${node}`
}

/**
 * Returns a warning if the machine was busy before the run, otherwise an empty string. `effect` says whether other work
 * makes the absolute numbers too low or too high.
 */
export const busyText = ({ machine: { loadBefore, cores } }: Pick<BenchResult, 'machine'>, effect: 'low' | 'high'): string =>
  loadBefore > busyShare * cores
    ? ` The machine was busy with other work (load ${loadBefore} before the run), so the absolute numbers are too ${effect}, and the ratios vary more than on an idle machine.`
    : ''

/** Describes the machine and the rounds. Adds a warning if the machine was busy. */
export const measurementConditions = (result: BenchResult): string => {
  const { postgres, redis } = result.machine
  const database = `${postgres === null ? 'PGlite only' : `PostgreSQL ${postgres}`}${redis === undefined ? '' : `, Redis ${redis}`}`
  return `${machineText(result)}, ${database}; ${result.rounds} rounds of ${result.measuredMs / 1000} s per measurement.${busyText(result, 'low')}`
}
