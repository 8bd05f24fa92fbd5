import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { firstCodeOf, isDatabaseUnavailable } from './failures.ts'

/** Thrown when the database cannot be used as configured. The message says why and what to do. */
export class DatabaseStartupError extends Error {
  override readonly name = 'DatabaseStartupError'
}

const logEveryMs = 10_000

const tlsCodes = /^(ERR_TLS_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_)/

/** Returns a message if the configuration caused the error; otherwise `undefined`. Only in the latter case does waiting help. */
const configurationIssue = (error: unknown): string | undefined => {
  const code = firstCodeOf(error)
  const { message } = error as Error
  if (/^28...$/.test(code)) return `PostgreSQL rejects the user or password in DATABASE_URL: ${message}.`
  if (/client password must be/.test(message)) return 'PostgreSQL requires a password. Add it to DATABASE_URL, or set PGPASSWORD.'
  if (code === '3D000') return `The database in DATABASE_URL does not exist: ${message}. Create it, or name another database.`
  if (code === '42501') return `The user in DATABASE_URL lacks a privilege: ${message}. Flowpost must be able to create its own tables.`
  if (/unsupported startup parameter/.test(message)) return `The pooler in DATABASE_URL rejects the connection: ${message}.`
  if (tlsCodes.test(code) || /SSL connection/.test(message))
    return `The TLS connection to PostgreSQL failed: ${message}. Check sslmode in DATABASE_URL.`
  return undefined
}

/**
 * Returns the result of `open`. While the database is unavailable, calls `open` again.
 * @param options.waitMs the maximum wait, in milliseconds. With 0, `open` is called only once, and an outage's error is
 * rethrown.
 * @param options.signal aborts the wait.
 * @param options.retryAfterMs the pause between two attempts, in milliseconds. @default 1,000
 * @throws DatabaseStartupError when `waitMs` has elapsed, or when the configuration is wrong; an `AbortError` when `signal`
 * aborts.
 */
export const untilAvailable = async <T>(
  open: () => Promise<T>,
  options: { waitMs: number; log: Pick<Logger, 'warn'>; signal?: AbortSignal | undefined; retryAfterMs?: number },
): Promise<T> => {
  const { waitMs, log, signal, retryAfterMs = 1_000 } = options
  const startedMs = performance.now()
  let loggedMs = Number.NEGATIVE_INFINITY
  for (;;) {
    try {
      return await open()
    } catch (error) {
      if (error instanceof DatabaseStartupError) throw error
      const issue = configurationIssue(error)
      if (issue !== undefined) throw new DatabaseStartupError(issue, { cause: error })
      if (!isDatabaseUnavailable(error) || waitMs === 0) throw error
      const reason = (error as Error).message || firstCodeOf(error)
      const leftMs = waitMs - (performance.now() - startedMs)
      if (leftMs <= 0)
        throw new DatabaseStartupError(
          `PostgreSQL could not be reached for ${Math.round(waitMs / 1_000)} s: ${reason}. Start it, or check DATABASE_URL.`,
          { cause: error },
        )
      if (performance.now() - loggedMs >= logEveryMs) {
        loggedMs = performance.now()
        log.warn({ reason, seconds_left: Math.ceil(leftMs / 1_000) }, 'PostgreSQL cannot be reached yet; retrying.')
      }
      await sleep(Math.min(retryAfterMs, leftMs), undefined, { signal })
    }
  }
}
