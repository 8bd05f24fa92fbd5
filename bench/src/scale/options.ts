import { parseArgs } from 'node:util'
import type { Size } from './fill.ts'

/** The options of a run. */
export interface ScaleOptions {
  readonly databaseUrl: string
  readonly size: Size
  readonly rounds: number
  readonly measuredMs: number
  /** The name of a database that an earlier run filled and kept. If it is `undefined`, the run fills a new one. */
  readonly filled: string | undefined
  /** Whether to keep the filled database. */
  readonly keep: boolean
  /** The number of notifications that `--churn` simulates; `undefined` without `--churn`. */
  readonly churn: number | undefined
  /** Whether to only run `EXPLAIN`, without measuring times. */
  readonly plans: boolean
  /** Whether to measure migrations, instead of requests, on the full database. */
  readonly migrate: boolean
  readonly help: boolean
}

/** The text of `--help`. */
export const usage = `pnpm bench:scale [--projects <n>] [--notifications <n>] [--rounds <n>] [--seconds <n>] [--keep | --filled <database>] [--plans]
pnpm bench:scale --migrate [--projects <n>] [--notifications <n>] [--filled <database>]
pnpm bench:scale --churn [--notifications <n>]

  --projects, --notifications   the size of the full database (default 1,000,000 and 10,000,000, which takes
                                a quarter of an hour and 10 GB)
  --rounds, --seconds           the number and duration of measurements per database, full and empty (default 5 and 2)
  --keep                        keep the full database and print its name
  --filled                      use this database instead of filling a new one
  --plans                       only show the plan of each statement and count the pages it reads
  --migrate                     measure how long sending a message takes while migrations run
  --churn                       simulate a day and a half of accepting, delivering and removing notifications
                                (default 1,000,000), and show how the tables grow

  DATABASE_URL names a PostgreSQL server whose user may create databases.`

const count = (name: string, value: string): number => {
  const number = Number(value)
  if (!Number.isInteger(number) || number < 1) throw new TypeError(`--${name} must be a whole number above 0.`)
  return number
}

/**
 * Reads the command line and the environment of a run.
 * @throws TypeError if an option is invalid.
 */
export const readScaleOptions = (args: readonly string[], environment: Readonly<Record<string, string | undefined>>): ScaleOptions => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      projects: { type: 'string', default: '1000000' },
      notifications: { type: 'string' },
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '2' },
      filled: { type: 'string' },
      keep: { type: 'boolean', default: false },
      plans: { type: 'boolean', default: false },
      migrate: { type: 'boolean', default: false },
      churn: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const databaseUrl = environment['DATABASE_URL']
  if (!databaseUrl && !values.help) throw new TypeError('DATABASE_URL must name a PostgreSQL server whose user may create databases.')
  const seconds = Number(values.seconds)
  if (!(seconds > 0)) throw new TypeError('--seconds must be a number above 0.')
  const notifications = (fallback: string) => count('notifications', values.notifications ?? fallback)
  return {
    databaseUrl: databaseUrl ?? '',
    size: { projects: count('projects', values.projects), notifications: notifications('10000000') },
    rounds: count('rounds', values.rounds),
    measuredMs: seconds * 1000,
    filled: values.filled,
    keep: values.keep || values.filled !== undefined,
    churn: values.churn ? notifications('1000000') : undefined,
    plans: values.plans,
    migrate: values.migrate,
    help: values.help,
  }
}
