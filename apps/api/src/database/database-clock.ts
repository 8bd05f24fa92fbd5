import type { Logger } from 'pino'
import type { Clock } from '../shared/clock.ts'
import type { Queryable } from './database.ts'
import { DatabaseStartupError } from './until-available.ts'

/** A clock that follows the database's clock without a query for each reading. */
export interface DatabaseClock extends Clock {
  /** Returns how many seconds this machine's clock is ahead of the database's clock; negative if it is behind. */
  skewSeconds(): number
  /**
   * Measures the offset from the database's clock again. Never rejects: if the database is unreachable, the last
   * measurement stays in use.
   */
  measure(): Promise<void>
  stop(): void
}

/** The dependencies of {@link startDatabaseClock}. */
export interface DatabaseClockDeps {
  /** Reads the database's time, in milliseconds since 1970. */
  readonly readTimeMs: () => Promise<number>
  readonly log: Logger
  /** Called with the reason if the clock skew becomes too large while the process is running. */
  readonly onFatal: (error: Error) => void
  /** A clock that never jumps, in milliseconds. @default performance.now */
  readonly monotonicMs?: () => number
  /** This machine's clock, in milliseconds. @default Date.now */
  readonly wallMs?: () => number
}

/** The maximum clock skew, in milliseconds, with which a process may run. */
const maxSkewMs = 60_000
// A skew of at least this size is logged as a warning at startup. Later, such a skew is logged only if it also differs from the
// previous measurement by at least this much. With NTP, clocks differ only by a few milliseconds.
const notableSkewMs = 1_000
const measureEveryMs = 30_000
const samplesAtStart = 5

interface Measurement {
  /** The database's time minus the monotonic clock. */
  readonly offsetMs: number
  readonly skewMs: number
  readonly roundTripMs: number
}

const skewText = (skewMs: number): string =>
  `This machine's clock is ${Math.abs(skewMs / 1_000).toFixed(1)} s ${skewMs > 0 ? 'ahead of' : 'behind'} PostgreSQL's clock`

const skewError = (skewMs: number): string =>
  `${skewText(skewMs)}, more than the allowed ${maxSkewMs / 1_000} s. Synchronize both clocks (NTP), then start Flowpost again.`

/**
 * Starts a clock that returns the database's time, so that processes agree on the time even if one machine's clock is
 * changed. The time is this process's monotonic clock plus a measured offset. Each measurement assumes that the database
 * server reads its clock at the midpoint of the round trip.
 * @throws DatabaseStartupError when this machine's clock and the database's clock differ by more than a minute.
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

  // The sample with the shortest round trip is the most precise, because the server may read its clock at any moment of
  // the round trip.
  let best = await sample()
  for (let count = 1; count < samplesAtStart; count += 1) {
    const next = await sample()
    if (next.roundTripMs < best.roundTripMs) best = next
  }
  if (Math.abs(best.skewMs) > maxSkewMs) throw new DatabaseStartupError(skewError(best.skewMs))
  let { offsetMs, skewMs } = best
  const details = () => ({ skew_ms: Math.round(skewMs) })
  if (Math.abs(skewMs) >= notableSkewMs) log.warn(details(), `${skewText(skewMs)}. Synchronize them.`)
  else log.info(details(), "Measured the offset from PostgreSQL's clock.")

  const apply = (measured: Measurement): void => {
    const previousSkewMs = skewMs
    skewMs = measured.skewMs
    // A difference of less than half the round trip is noise. Applying it would make the time jitter.
    if (Math.abs(measured.offsetMs - offsetMs) > measured.roundTripMs / 2) offsetMs = measured.offsetMs
    const isNotable = Math.abs(skewMs) >= notableSkewMs
    if (isNotable && Math.abs(skewMs - previousSkewMs) >= notableSkewMs) log.warn(details(), `${skewText(skewMs)}. Synchronize them.`)
    else log.debug(details(), "Measured the offset from PostgreSQL's clock.")
  }

  const measure = async (): Promise<void> => {
    try {
      let measured = await sample()
      // Measures again before ending the process, because a slow response can look like skew.
      if (Math.abs(measured.skewMs) > maxSkewMs) measured = await sample()
      if (stopped) return
      apply(measured)
      if (Math.abs(measured.skewMs) - measured.roundTripMs / 2 <= maxSkewMs) return
      stop()
      onFatal(new DatabaseStartupError(skewError(measured.skewMs)))
    } catch (error) {
      log.debug({ err: error }, "Could not read PostgreSQL's clock; using the last measurement.")
    }
  }

  const timer = setInterval(() => void measure(), measureEveryMs).unref()
  const stop = () => {
    stopped = true
    clearInterval(timer)
  }
  return { now: () => new Date(monotonicMs() + offsetMs), skewSeconds: () => skewMs / 1_000, measure, stop }
}

/** Creates {@link DatabaseClockDeps.readTimeMs} for a PostgreSQL server. */
export const timeOf = (database: Queryable) => async (): Promise<number> => {
  const [row] = await database.query<{ ms: number }>({
    name: 'clock',
    text: 'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms',
  })
  return Number(row?.ms)
}
