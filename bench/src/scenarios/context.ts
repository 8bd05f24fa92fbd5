import type { AcceptTarget } from '../baselines/accept-statement.ts'
import type { BenchDatabases } from '../database/bench-databases.ts'
import type { BenchRedis } from '../database/bench-redis.ts'
import type { SeededProjects } from '../database/seed-projects.ts'
import type { SeededSettings } from '../database/seed-settings.ts'
import type { LoadGenerator } from '../load/load-generator.ts'
import type { BenchOptions } from '../options.ts'
import type { Cleanup } from '../processes/cleanup.ts'
import type { Running } from '../processes/start-program.ts'
import type { Comparison, Figure } from '../result.ts'
import type { SdkMeasurements } from '../sdk/sdk-result.ts'

/** A PostgreSQL server with a template database, which contains the projects and flows for the measurements. */
export interface PreparedPostgres {
  readonly databases: BenchDatabases
  readonly template: string
  readonly projects: SeededProjects
  readonly settings: SeededSettings
  /** The same projects as in `projects`, but with UUIDs as ids, which the acceptance baselines need. */
  readonly targets: { readonly one: AcceptTarget; readonly three: AcceptTarget }
}

/** The options and processes that a group of measurements works with. */
export interface Context {
  readonly options: BenchOptions
  readonly load: Running<LoadGenerator>
  /** The PostgreSQL server; `undefined` if only the embedded database is measured. */
  readonly postgres: PreparedPostgres | undefined
  /** The Redis server; `undefined` if it is not available or not needed. */
  readonly redis?: BenchRedis | undefined
  /** Adds a cleanup step, which runs when the group ends. */
  readonly defer: Cleanup['defer']
  /** Prints progress. */
  readonly print: (line: string) => void
}

/** The results of a group of measurements. */
export interface Findings {
  readonly comparisons: readonly Comparison[]
  readonly figures: readonly Figure[]
  /** The measurements of the SDKs, if the group measured them. */
  readonly sdks?: SdkMeasurements
}

/** The default number of client connections. */
export const clientConnections = 50

/** The size of a baseline's connection pool. The server's pool has the same size. */
export const baselinePoolSize = 20

/** The subject and text of every message. */
export const message = { subject: 'Invoice 42 is ready', message: 'Your invoice of November 2026 is ready. Have a nice day!' } as const

/** Returns a callback that prints the measured values of a round. */
export const reportRounds =
  ({ print, options }: Context, title: string) =>
  (round: number, measured: Readonly<Record<string, number>>) => {
    const values = Object.entries(measured).map(([side, value]) => `${side} ${value >= 100 ? Math.round(value) : value.toFixed(2)}`)
    print(`${title}, ${round === 0 ? 'warm-up' : `round ${round} of ${options.rounds}`}: ${values.join(', ')}`)
  }
