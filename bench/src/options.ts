import { parseArgs } from 'node:util'

/** The options of a run. */
export interface BenchOptions {
  /** The URL of a PostgreSQL server whose user may create databases. If it is `undefined`, only the embedded database is measured. */
  readonly databaseUrl: string | undefined
  /** The URL of the Redis server for the peers: services that do the same work without Flowpost, for comparison. */
  readonly redisUrl: string
  /** Whether the run only checks that everything works. */
  readonly short: boolean
  /** The number of measurements of each side of a comparison. */
  readonly rounds: number
  /** The duration of each measurement, in milliseconds. */
  readonly measuredMs: number
  /** The duration, in milliseconds, of the load before each measurement. */
  readonly warmUpMs: number
  /** The groups of measurements to run. `undefined` means all. */
  readonly only: readonly string[] | undefined
  /** The number of groups to run, selected at random from the groups that `only` allows. `undefined` means all. */
  readonly sample: number | undefined
  /** The seed of the sample. The same seed selects the same groups. */
  readonly seed: number
  /** Whether to print only the usage. */
  readonly help: boolean
  /** The folder for CPU profiles of the servers. If it is `undefined`, no profiles are written. */
  readonly profileDir: string | undefined
}

/** The text of `--help`. */
export const usage = `pnpm bench [--short] [--rounds <n>] [--seconds <n>] [--only <group>,...] [--sample <n>] [--seed <n>] [--cpu-prof <folder>]

  --short     check that everything works: measure briefly, do not judge goals and do not write results
  --rounds    the number of measurements of each side of a comparison (default 7)
  --seconds   the duration of each measurement (default 3)
  --only      measure only the given groups, out of accept, batch, latency, settings, delivery, delay, events,
              peers, sdk and start. Such a run writes no results, except those of sdk.
  --sample    measure only this number of groups, which the seed selects, and do not write results
  --seed      the seed of the sample (default 1)
  --cpu-prof  write CPU profiles of the servers to this folder

  DATABASE_URL names a PostgreSQL server whose user may create databases. Without it, only the embedded
  database is measured. REDIS_URL names the Redis server for the group "peers" (default
  redis://127.0.0.1:6379). Without a Redis server, the comparisons with BullMQ are skipped and no results are written.`

const positive = (name: string, value: string): number => {
  const number = Number(value)
  if (!(number > 0 && number <= 1000)) throw new TypeError(`--${name} must be a number above 0 and at most 1000.`)
  return number
}

const integer = (name: string, value: string, min = 0): number => {
  if (/^\d{1,15}$/.test(value) && Number(value) >= min) return Number(value)
  throw new TypeError(`--${name} must be a whole number of at least ${min}, with at most 15 digits.`)
}

const redisProtocols = ['redis:', 'rediss:']

const redisUrl = (value: string): string => {
  if (redisProtocols.includes(URL.parse(value)?.protocol ?? '')) return value
  throw new TypeError('REDIS_URL must be a URL that starts with redis:// or rediss://.')
}

/**
 * Reads the command line and the environment of a run.
 * @throws TypeError if an option is invalid.
 */
export const readOptions = (args: readonly string[], environment: Readonly<Record<string, string | undefined>>): BenchOptions => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      short: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      only: { type: 'string' },
      sample: { type: 'string' },
      seed: { type: 'string' },
      'cpu-prof': { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  const { short } = values
  const only = values.only?.split(',').map((group) => group.trim())
  const measuredMs = positive('seconds', values.seconds ?? (short ? '0.3' : '3')) * 1000
  return {
    databaseUrl: environment['DATABASE_URL'] || undefined,
    redisUrl: redisUrl(environment['REDIS_URL'] || 'redis://127.0.0.1:6379'),
    short,
    rounds: Math.ceil(positive('rounds', values.rounds ?? (short ? '1' : '7'))),
    measuredMs,
    warmUpMs: Math.min(500, measuredMs / 2),
    only,
    sample: values.sample === undefined ? undefined : integer('sample', values.sample, 1),
    seed: integer('seed', values.seed ?? '1'),
    help: values.help,
    profileDir: values['cpu-prof'],
  }
}
