import { parseArgs } from 'node:util'

/** How a run is made. */
export interface BenchOptions {
  /** A PostgreSQL server whose user may create databases; `undefined`: the embedded database alone. */
  readonly databaseUrl: string | undefined
  /** A Redis server for the peers that need one. */
  readonly redisUrl: string
  /** Whether the run only shows that everything works. */
  readonly short: boolean
  /** How often each side is measured. */
  readonly rounds: number
  /** Milliseconds that count, of each side in each round. */
  readonly measuredMs: number
  /** Milliseconds of load before those. */
  readonly warmUpMs: number
  /** The groups that are measured; `undefined`: all. */
  readonly only: readonly string[] | undefined
  /** Whether only the usage is wanted. */
  readonly help: boolean
  /** Where the servers leave CPU profiles; `undefined`: nowhere. */
  readonly profileDir: string | undefined
}

/** What the command line of a run can say. */
export const usage = `pnpm bench [--short] [--rounds <n>] [--seconds <n>] [--only <group>,...] [--cpu-prof <folder>]

  --short     a moment of each measurement, judging nothing and writing nothing: does everything work?
  --rounds    how often each side is measured (default 7)
  --seconds   how long, each time (default 3)
  --only      these groups alone, writing nothing: accept, latency, settings, delivery, delay, peers, sdk,
              start
  --cpu-prof  the servers leave CPU profiles in this folder when they end

  DATABASE_URL names a PostgreSQL server whose user may create databases. Without it, only what the
  embedded database can tell is measured. REDIS_URL names a Redis server for the group peers (default
  redis://127.0.0.1:6379). Where none answers, the comparisons with it are skipped and nothing is written.`

const positive = (name: string, value: string): number => {
  const number = Number(value)
  if (!(number > 0 && number <= 1000)) throw new TypeError(`--${name} must be a number above 0 and at most 1000.`)
  return number
}

const redisProtocols = ['redis:', 'rediss:']

const redisUrl = (value: string): string => {
  if (redisProtocols.includes(URL.parse(value)?.protocol ?? '')) return value
  throw new TypeError('REDIS_URL must be a URL that starts with redis:// or rediss://.')
}

/**
 * Reads the command line and the environment of a run.
 * @throws TypeError saying what is wrong.
 */
export const readOptions = (args: readonly string[], environment: Readonly<Record<string, string | undefined>>): BenchOptions => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      short: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      only: { type: 'string' },
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
    help: values.help,
    profileDir: values['cpu-prof'],
  }
}
