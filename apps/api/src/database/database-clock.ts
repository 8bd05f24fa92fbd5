import type { Logger } from 'pino'
import type { Clock } from '../shared/clock.ts'
import type { Queryable } from './database.ts'
import { DatabaseStartupError } from './startup.ts'

/** The time of the database, without asking it each time. */
export interface DatabaseClock extends Clock {
  /** How far the clock of this machine is ahead of the database's, in seconds. */
  skewSeconds(): number
  /** Measures once more. Never rejects: without the database, the last measurement stays. */
  measure(): Promise<void>
  stop(): void
}

/** What the clock needs. */
export interface DatabaseClockDeps {
  /** Reads the time of the database, in milliseconds since 1970. */
  readonly readTimeMs: () => Promise<number>
  readonly log: Logger
  /** Called with the reason when this machine's clock goes wrong while the process runs. */
  readonly onFatal: (error: Error) => void
  /** A clock that nobody sets. @default performance.now */
  readonly monotonicMs?: () => number
  /** The clock of this machine. @default Date.now */
  readonly wallMs?: () => number
}

/** From this difference on, a process does not run, in milliseconds. */
const maxSkewMs = 60_000
// Worth a line in the log: NTP keeps clocks within a few milliseconds.
const notableSkewMs = 1_000
const measureEveryMs = 30_000
const samplesAtStart = 5

interface Measurement {
  /** The time of the database less the monotonic clock. */
  readonly offsetMs: number
  readonly skewMs: number
  readonly roundTripMs: number
}

const skewText = (skewMs: number): string =>
  `The clock of this machine is ${Math.abs(skewMs / 1_000).toFixed(1)} s ${skewMs > 0 ? 'ahead of' : 'behind'} the clock of PostgreSQL`

const refusal = (skewMs: number): string =>
  `${skewText(skewMs)}, more than the ${maxSkewMs / 1_000} s that are allowed. Synchronize both clocks (NTP), then start again.`

/**
 * Starts a clock that tells the time of the database: its difference to a monotonic clock of this process, taken at the midpoint
 * of a round trip. So processes on several machines agree on the time, and a machine's clock that is set changes nothing.
 * @throws DatabaseStartupError when this machine's clock differs by more than a minute.
 */
export const startDatabaseClock = async (deps: DatabaseClockDeps): Promise<DatabaseClock> => {
  const { readTimeMs, log, onFatal, monotonicMs = () => performance.now(), wallMs = Date.now } = deps
  let stopped = false

  const sample = async (): Promise<Measurement> => {
    const sentMs = monotonicMs()
    const databaseMs = await readTimeMs()
    const receivedMs = monotonicMs()
    const midpointMs = (sentMs + receivedMs) / 2
    const wallAtMidpointMs = wallMs() - (receivedMs - midpointMs)
    return { offsetMs: databaseMs - midpointMs, skewMs: wallAtMidpointMs - databaseMs, roundTripMs: receivedMs - sentMs }
  }

  // The shortest round trip says it best: the time may be of any moment of it.
  let best = await sample()
  for (let count = 1; count < samplesAtStart; count += 1) {
    const next = await sample()
    if (next.roundTripMs < best.roundTripMs) best = next
  }
  if (Math.abs(best.skewMs) > maxSkewMs) throw new DatabaseStartupError(refusal(best.skewMs))
  let { offsetMs, skewMs } = best
  const details = () => ({ skew_ms: Math.round(skewMs) })
  if (Math.abs(skewMs) >= notableSkewMs) log.warn(details(), `${skewText(skewMs)}. Synchronize them.`)
  else log.info(details(), 'The difference to the clock of PostgreSQL was measured.')

  const take = (measured: Measurement): void => {
    const before = skewMs
    skewMs = measured.skewMs
    // A difference that the round trip explains is none: taking it would only make the time jump to and fro.
    if (Math.abs(measured.offsetMs - offsetMs) > measured.roundTripMs / 2) offsetMs = measured.offsetMs
    const isNotable = Math.abs(skewMs) >= notableSkewMs
    if (isNotable && Math.abs(skewMs - before) >= notableSkewMs) log.warn(details(), `${skewText(skewMs)}. Synchronize them.`)
    else log.debug(details(), 'The difference to the clock of PostgreSQL was measured.')
  }

  const measure = async (): Promise<void> => {
    try {
      let measured = await sample()
      // Before the process ends for it: a slow answer may look the same.
      if (Math.abs(measured.skewMs) > maxSkewMs) measured = await sample()
      if (stopped) return
      take(measured)
      if (Math.abs(measured.skewMs) - measured.roundTripMs / 2 <= maxSkewMs) return
      stop()
      onFatal(new DatabaseStartupError(refusal(measured.skewMs)))
    } catch (error) {
      log.debug({ err: error }, 'The clock of PostgreSQL could not be read.')
    }
  }

  const timer = setInterval(() => void measure(), measureEveryMs).unref()
  const stop = () => {
    stopped = true
    clearInterval(timer)
  }
  return { now: () => new Date(monotonicMs() + offsetMs), skewSeconds: () => skewMs / 1_000, measure, stop }
}

/** Reads the clock of a PostgreSQL server, for {@link startDatabaseClock}. */
export const timeOf = (database: Queryable) => async (): Promise<number> => {
  const [row] = await database.query<{ ms: number }>({
    name: 'clock',
    text: 'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms',
  })
  return Number(row?.ms)
}
