import { table } from '../../report/table.ts'
import type { BenchResult } from '../../result.ts'
import type { Size } from '../fill.ts'
import type { MigrationTime, MigrationTimes } from './measure-migrations.ts'

const whole = (value: number): string => Math.round(value).toLocaleString('en-US')
const seconds = (ms: number): string => (ms / 1_000).toLocaleString('en-US', { maximumFractionDigits: ms < 10_000 ? 2 : 0 })

/** The maximum time, in milliseconds, that sending a message may take while a migration runs. */
const maxWaitMs = 1_000

/** Returns whether no message took longer than `maxWaitMs`. */
export const areShort = ({ current, next }: MigrationTimes): boolean => [...current, ...next].every(({ waitMs }) => waitMs <= maxWaitMs)

const rows = (times: readonly MigrationTime[]): string =>
  table([
    ['Migration', 'Took, in seconds', 'Slowest message, in milliseconds'],
    ...times.map(({ name, tookMs, waitMs }) => [name, seconds(tookMs), whole(waitMs)]),
  ])

/** Formats the durations of migrations as Markdown. */
export const migrationsSection = (
  times: MigrationTimes,
  { projects, notifications }: Size,
  result: Pick<BenchResult, 'machine' | 'startedAt'>,
): string => {
  const { machine, startedAt } = result
  return [
    `${whole(projects)} projects and ${whole(notifications)} notifications. ${startedAt.slice(0, 10)}, ${machine.cpu}, ${machine.cores} cores, PostgreSQL ${machine.postgres}.`,
    'The migrations of this release:',
    rows(times.current),
    'The example migrations of a later release:',
    rows(times.next),
  ].join('\n\n')
}
