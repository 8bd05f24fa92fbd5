import { type BenchResult, type Comparison, type Figure, type Goal, isMet } from '../result.ts'
import { ratio, short } from './numbers.ts'

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
  boundOf(goal, (bound) => (kind === 'ratio' ? ratio(bound) : `${short(bound)} ${unit}`))

const resultOf = ({ kind, unit, result: { median, low, high } }: Comparison): string =>
  kind === 'ratio' ? `${ratio(median)} (${ratio(low)} to ${ratio(high)})` : `+${short(median)} ${unit} (${short(low)} to ${short(high)})`

/** A Markdown table whose columns line up, so that it reads in a terminal too. */
export const table = (rows: readonly (readonly string[])[]): string => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const line = (cells: readonly string[]) => `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  const [head = [], ...body] = rows
  return [line(head), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...body.map(line)].join('\n')
}

/** The comparisons: each side, how they relate, and the goal. */
export const comparisonTable = (comparisons: readonly Comparison[]): string =>
  table([
    ['What', 'Baseline', 'The baseline reaches', 'Flowpost reaches', 'Flowpost to baseline', 'Goal', 'Verdict'],
    ...comparisons.map((comparison) => [
      comparison.subject.name === 'Flowpost' ? comparison.title : `${comparison.title}, ${comparison.subject.name}`,
      comparison.baseline.name,
      `${short(comparison.baseline.median)} ${comparison.unit}`,
      `${short(comparison.subject.median)} ${comparison.unit}`,
      resultOf(comparison),
      goalOf(comparison),
      verdict(comparison),
    ]),
  ])

/** The numbers without a baseline: the goals and verdicts are columns when any of them has a goal. */
export const figureTable = (figures: BenchResult['figures']): string => {
  const withGoals = figures.some(({ goal }) => goal !== undefined)
  const judgement = (figure: Figure) => [
    boundOf(figure.goal, (bound) => `${short(bound)} ${figure.unit}`),
    figure.goal ? verdict(figure) : '',
  ]
  return table([
    ['What', 'Value', ...(withGoals ? ['Goal', 'Verdict'] : [])],
    ...figures.map((figure) => [figure.title, `${short(figure.value)} ${figure.unit}`, ...(withGoals ? judgement(figure) : [])]),
  ])
}

const busyShare = 0.25

/** On what and how the numbers were measured, and what to think of them. */
export const circumstances = ({ machine, rounds, measuredMs, startedAt }: BenchResult): string => {
  const { cpu, cores, memoryGiB, system, node, postgres, redis, loadBefore } = machine
  const where = `${startedAt.slice(0, 10)}, ${cpu}, ${cores} cores, ${memoryGiB} GiB, ${system}, Node ${node}`
  const database = `${postgres === null ? 'PGlite only' : `PostgreSQL ${postgres}`}${redis === undefined ? '' : `, Redis ${redis}`}`
  const how = `${rounds} rounds of ${measuredMs / 1000} s a side`
  const busy =
    loadBefore > busyShare * cores
      ? ` The machine was busy with other work (load ${loadBefore} before the run), so the absolute numbers are too low, and the ratios vary more than on a quiet one.`
      : ''
  return `${where}, ${database}; ${how}.${busy}`
}
