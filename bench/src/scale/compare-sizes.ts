import { type Comparison, compare } from '../result.ts'
import { interleave } from '../rounds.ts'
import { type Context, reportRounds } from '../scenarios/context.ts'
import type { Side } from './side.ts'

const maxSlowdown = 1.5

const comparisonOf = (title: string, unit: string, empty: readonly number[], full: readonly number[]): Comparison =>
  compare({ id: title, title, unit, baseline: 'empty', subject: 'full', goal: { atLeast: 1 / maxSlowdown } }, empty, full)

/**
 * Measures an operation alternately on the empty and on the full database. A measurement yields one or more named values.
 * Returns a comparison for each name in `titles`.
 */
const measurePair = async <Name extends string>(
  context: Context,
  sides: { readonly empty: () => Promise<Record<Name, number>>; readonly full: () => Promise<Record<Name, number>> },
  titles: Readonly<Record<Name, string>>,
  unit: string,
): Promise<Comparison[]> => {
  const names = Object.keys(titles) as Name[]
  const [first = '' as Name] = names
  const found = { empty: [] as Record<Name, number>[], full: [] as Record<Name, number>[] }
  const measure = (side: 'empty' | 'full') => async () => {
    const values = await sides[side]()
    found[side].push(values)
    return values[first]
  }
  await interleave(context.options.rounds, { empty: measure('empty'), full: measure('full') }, reportRounds(context, titles[first]))
  // The first round is a warm-up and is not counted.
  const counted = (side: 'empty' | 'full', name: Name) => found[side].slice(1).map((values) => values[name])
  return names.map((name) => comparisonOf(titles[name], unit, counted('empty', name), counted('full', name)))
}

/**
 * Compares a server on a full database with a server on an almost empty one, which contains only the data of the user
 * who sends the measured requests.
 */
export const compareSizes = async (context: Context, sides: { readonly empty: Side; readonly full: Side }): Promise<Comparison[]> => {
  const { empty, full } = sides
  const retained = await measurePair(
    context,
    { empty: empty.retain, full: full.retain },
    { emptied: 'Retention of content, 2,000 notifications', removed: 'Retention of the log, 2,000 notifications' },
    'rows/s',
  )
  const delivered = await measurePair(
    context,
    { empty: empty.deliver, full: full.deliver },
    { claimed: 'Claim, 50 at a time', recorded: 'Start attempts and record outcomes, 50 at a time' },
    'jobs/s',
  )
  const requests: Comparison[] = []
  for (const title of Object.keys(empty.requests)) {
    const measures = { empty: empty.requests[title], full: full.requests[title] } as Record<'empty' | 'full', () => Promise<number>>
    const measured = await interleave(context.options.rounds, measures, reportRounds(context, title))
    requests.push(comparisonOf(title, 'requests/s', measured.empty, measured.full))
  }
  return [...requests, ...delivered, ...retained]
}
