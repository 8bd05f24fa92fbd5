import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { firstCodeOf, isDatabaseUnavailable } from './failures.ts'

/** Thrown when the database cannot be used as configured. The message says why and what to do. */
export class DatabaseStartupError extends Error {
  override readonly name = 'DatabaseStartupError'
}

const logEveryMs = 10_000

/**
 * The maximum number of lost connections during startup. Startup fails if it has lost more connections and has taken
 * longer than `waitMs`. So many losses suggest that a migration crashes PostgreSQL.
 */
const maxLostConnections = 5

const tlsCodes = /^(ERR_TLS_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_)/

/**
 * Returns a message for an error that the configuration caused. Waiting would not resolve such an error. Returns `undefined`
 * for any other error.
 */
const configurationIssue = (error: unknown): string | undefined => {
  const code = firstCodeOf(error)
  const { message } = error as Error
  if (/^28...$/.test(code)) return `PostgreSQL rejects the user or password in DATABASE_URL: ${message}.`
  if (/client password must be/.test(message)) return 'PostgreSQL requires a password. Add it to DATABASE_URL, or set PGPASSWORD.'
  if (code === '3D000') return `The database in DATABASE_URL does not exist: ${message}. Create it, or name another database.`
  // PostgreSQL ignores the schemas in `search_path` that do not exist. This error means that none is left.
  if (code === '3F000')
    return `The database has no schema for the tables of Flowpost: ${message}. Create the schema that search_path names.`
  if (code === '42501') return `The user in DATABASE_URL lacks a privilege: ${message}. Flowpost must be able to create its own tables.`
  if (/unsupported startup parameter/.test(message))
    return `The pooler in DATABASE_URL rejects the connection: ${message}. Stop setting this parameter, or add it to ignore_startup_parameters in PgBouncer.`
  if (tlsCodes.test(code) || /SSL connection/.test(message))
    return `The TLS connection to PostgreSQL failed: ${message}. Check sslmode in DATABASE_URL.`
  return undefined
}

/**
 * Returns the result of `open`. While the database is unavailable, calls `open` again.
 * @param open opens the database. When the connection is open, `open` calls `onConnected` before any work that can take long.
 * @param options.waitMs the maximum duration of one outage, in milliseconds. An outage ends when `open` calls `onConnected`.
 * With 0, this function calls `open` only once and rethrows the error of an outage.
 * @param options.signal aborts the wait.
 * @param options.retryAfterMs the pause between two attempts, in milliseconds. @default 1,000
 * @param options.nowMs a monotonic clock, in milliseconds. @default `performance.now`
 * @throws DatabaseStartupError when the configuration is wrong, when an outage has lasted `waitMs`, or when too many
 * connections have been lost (see {@link maxLostConnections}).
 * @throws AbortError when `signal` aborts.
 */
export const untilAvailable = async <T>(
  open: (onConnected: () => void) => Promise<T>,
  options: {
    waitMs: number
    log: Pick<Logger, 'warn'>
    signal?: AbortSignal | undefined
    retryAfterMs?: number
    nowMs?: () => number
  },
): Promise<T> => {
  const { waitMs, log, signal, retryAfterMs = 1_000, nowMs = () => performance.now() } = options
  const startedMs = nowMs()
  let unreachableSinceMs = startedMs
  let loggedMs = Number.NEGATIVE_INFINITY
  let lostConnections = 0
  for (;;) {
    let connected = false
    try {
      return await open(() => {
        connected = true
      })
    } catch (error) {
      if (error instanceof DatabaseStartupError) throw error
      const issue = configurationIssue(error)
      if (issue !== undefined) throw new DatabaseStartupError(issue, { cause: error })
      if (!isDatabaseUnavailable(error) || waitMs === 0) throw error
      const reason = (error as Error).message || firstCodeOf(error)
      // The database was reachable until now, perhaps for a long time while migrations ran. The outage therefore starts now.
      if (connected) {
        unreachableSinceMs = nowMs()
        lostConnections += 1
        if (lostConnections > maxLostConnections && nowMs() - startedMs > waitMs)
          throw new DatabaseStartupError(
            `The connection to PostgreSQL was lost ${lostConnections} times: ${reason}. Check the PostgreSQL log for the cause.`,
            { cause: error },
          )
      }
      const unreachableMs = nowMs() - unreachableSinceMs
      const leftMs = waitMs - unreachableMs
      if (leftMs <= 0)
        throw new DatabaseStartupError(
          `PostgreSQL could not be reached for ${Math.floor(unreachableMs / 1_000)} s: ${reason}. Start it, or check DATABASE_URL.`,
          { cause: error },
        )
      if (nowMs() - loggedMs >= logEveryMs) {
        loggedMs = nowMs()
        log.warn({ reason, seconds_left: Math.ceil(leftMs / 1_000) }, 'PostgreSQL cannot be reached yet; retrying.')
      }
      await sleep(Math.min(retryAfterMs, leftMs), undefined, { signal })
    }
  }
}
