import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { firstCodeOf, isDatabaseUnavailable } from './failures.ts'

/** The database cannot be used as it is set up. The message says why and what to do. */
export class DatabaseStartupError extends Error {
  override readonly name = 'DatabaseStartupError'
}

const logEveryMs = 10_000

const tlsCodes = /^(ERR_TLS_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_)/

/** Returns the words for a fault of the settings, which waiting does not mend. */
const lastingFault = (error: unknown): string | undefined => {
  const code = firstCodeOf(error)
  const { message } = error as Error
  if (/^28...$/.test(code)) return `PostgreSQL rejects the user or password of DATABASE_URL: ${message}.`
  if (code === '3D000') return `The database of DATABASE_URL does not exist: ${message}. Create it, or name another one.`
  if (code === '42501') return `The user of DATABASE_URL lacks a privilege: ${message}. Flowpost creates its tables itself.`
  if (/unsupported startup parameter/.test(message)) return `The pooler of DATABASE_URL rejects the connection: ${message}.`
  if (tlsCodes.test(code) || /SSL connection/.test(message)) return `TLS to PostgreSQL failed: ${message}. Check sslmode in DATABASE_URL.`
  return undefined
}

/**
 * Runs `open` until the database is there.
 * @param options.waitMs how long to wait for it; 0 tries once and throws the error as it is.
 * @param options.signal ends the wait.
 * @param options.retryAfterMs the pause between two tries. Default 1,000.
 * @throws DatabaseStartupError when it stays away, or when waiting is of no use; an `AbortError` when `signal` aborts.
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
      const fault = lastingFault(error)
      if (fault !== undefined) throw new DatabaseStartupError(fault, { cause: error })
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
        log.warn({ reason, seconds_left: Math.ceil(leftMs / 1_000) }, 'PostgreSQL cannot be reached yet; waiting for it.')
      }
      await sleep(Math.min(retryAfterMs, leftMs), undefined, { signal })
    }
  }
}
