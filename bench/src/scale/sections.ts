import { formatNumber } from '../report/format-number.ts'
import { comparisonTable, measurementConditions, table } from '../report/table.ts'
import type { BenchResult } from '../result.ts'
import { type Churn, churnHours } from './churn.ts'
import type { Plan } from './explain.ts'
import type { Size } from './fill.ts'
import type { TableSize } from './table-sizes.ts'

const whole = (value: number): string => Math.round(value).toLocaleString('en-US')

/** Formats a Markdown table of the number of pages that each statement reads in an empty and in a full database. */
const pagesTable = ({ empty, full }: Plans): string =>
  table([
    ['Pages that a statement reads', 'Empty', 'Full'],
    ...full.map(({ title, pages }) => [title, whole(empty.find((plan) => plan.title === title)?.pages ?? 0), whole(pages)]),
  ])

/** The statement plans in an empty and in a full database. */
export interface Plans {
  readonly empty: readonly Plan[]
  readonly full: readonly Plan[]
}

/** Formats the comparison of a full and an empty database as Markdown. */
export const sizesSection = (result: BenchResult, { projects, notifications }: Size, plans: Plans): string =>
  [
    `${whole(projects)} projects and ${whole(notifications)} notifications.${result.comparisons.length > 0 ? ` ${measurementConditions(result)}` : ''}`,
    ...(result.comparisons.length > 0 ? [comparisonTable(result.comparisons)] : []),
    pagesTable(plans),
  ].join('\n\n')

const shownHours = [6, 12, 18, 24, 30, 36]
const mebibyte = 2 ** 20

const mebibytes = ({ tableBytes, indexBytes }: TableSize): string =>
  `${formatNumber(tableBytes / mebibyte)} + ${formatNumber(indexBytes / mebibyte)}`

/** Returns one row for each database table, with the sizes of that table at {@link shownHours}. */
const growthRows = ({ samples, rebuilt }: Churn): string[][] => {
  const last = samples.at(-1)?.tables ?? []
  return last.map((table) => {
    const at = (hour: number) => samples.find((sample) => Math.round(sample.hour) === hour)?.tables.find(({ name }) => name === table.name)
    const tight = rebuilt.find(({ name }) => name === table.name)
    return [
      table.name,
      ...shownHours.map((hour) => {
        const size = at(hour)
        return size ? mebibytes(size) : ''
      }),
      `${whole(table.dead)} of ${whole(table.live + table.dead)}`,
      tight ? mebibytes(tight) : '',
      `${Math.round((100 * table.hotUpdates) / Math.max(1, table.updates))} %`,
      whole(table.vacuums),
    ]
  })
}

/** Formats the result of a simulation as Markdown. */
export const churnSection = (churn: Churn, result: Omit<BenchResult, 'comparisons' | 'figures' | 'rounds' | 'measuredMs'>): string => {
  const { machine, startedAt } = result
  const where = `${startedAt.slice(0, 10)}, ${machine.cpu}, ${machine.cores} cores, PostgreSQL ${machine.postgres}`
  const how = `${whole(churn.notifications)} notifications in ${churnHours} hours, simulated in ${whole(churn.tookMs / 60_000)} minutes`
  const speeds = churn.samples.map(({ perSecond }) => perSecond)
  const speed = (part: readonly number[]) => whole(part.reduce((sum, value) => sum + value, 0) / part.length)
  const third = Math.floor(speeds.length / 3)
  return [
    `${where}; ${how}. Accepted per second: ${speed(speeds.slice(0, third))} in the first third, ${speed(speeds.slice(-third))} in the last.`,
    table([
      [
        'MiB, table + indexes',
        ...shownHours.map((hour) => `at ${hour} h`),
        'Dead rows at the end',
        'Rebuilt',
        'HOT updates',
        'Autovacuums',
      ],
      ...growthRows(churn),
    ]),
  ].join('\n\n')
}
