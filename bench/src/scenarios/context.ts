import type { AcceptTarget } from '../baselines/accept-statement.ts'
import type { BenchDatabases } from '../database/bench-databases.ts'
import type { BenchRedis } from '../database/bench-redis.ts'
import type { SeededProjects } from '../database/seed-projects.ts'
import type { SeededSettings } from '../database/seed-settings.ts'
import type { LoadGenerator } from '../load/load-generator.ts'
import type { BenchOptions } from '../options.ts'
import type { Housekeeping } from '../processes/housekeeping.ts'
import type { Running } from '../processes/start-program.ts'
import type { Comparison, Figure } from '../result.ts'

/** A PostgreSQL server, with a database that holds the settings and is only copied. */
export interface PreparedPostgres {
  readonly databases: BenchDatabases
  readonly template: string
  readonly projects: SeededProjects
  readonly settings: SeededSettings
  /** The same projects, as the baselines of accepting need them. */
  readonly targets: { readonly one: AcceptTarget; readonly three: AcceptTarget }
}

/** What every group of measurements works with. */
export interface Context {
  readonly options: BenchOptions
  readonly load: Running<LoadGenerator>
  /** `undefined`: there is only the embedded database. */
  readonly postgres: PreparedPostgres | undefined
  /** `undefined`: none answers, or no group needs it. */
  readonly redis?: BenchRedis | undefined
  /** Remembers what must be undone when the group ends. */
  readonly later: Housekeeping['later']
  /** Tells whoever waits what is going on. */
  readonly say: (line: string) => void
}

/** What a group found. */
export interface Findings {
  readonly comparisons: readonly Comparison[]
  readonly figures: readonly Figure[]
}

/** Connections of clients, where nothing else is said. */
export const clientConnections = 50

/** Connections to the database of a baseline: as many as the server's pool has. */
export const baselinePoolSize = 20

/** What every message says. */
export const message = { subject: 'Invoice 42 is ready', message: 'Your invoice of November 2026 is ready. Have a nice day!' } as const

/** Tells of each round. */
export const reportRounds =
  ({ say, options }: Context, title: string) =>
  (round: number, measured: Readonly<Record<string, number>>) => {
    const values = Object.entries(measured).map(([side, value]) => `${side} ${value >= 100 ? Math.round(value) : value.toFixed(2)}`)
    say(`${title}, ${round === 0 ? 'warm-up' : `round ${round} of ${options.rounds}`}: ${values.join(', ')}`)
  }
