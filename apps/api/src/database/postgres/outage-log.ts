import type { Logger } from 'pino'
import { firstCodeOf } from '../failures.ts'

/**
 * The reasons why a server rejects statements, keyed by SQLSTATE. Each text completes the log line "PostgreSQL rejects
 * statements: …".
 */
const conditions: Readonly<Record<string, string>> = {
  '25006': 'it is a standby or read-only',
  '40003': 'the wait for the synchronous standby is canceled',
  '53000': 'it is short of resources',
  '53100': 'its disk is full',
  '53200': 'it is out of memory',
  '53300': 'it has no connection left; raise max_connections or run fewer processes',
  '53400': 'a configured limit is exceeded',
  '55P03': 'a lock is held for too long',
  '57014': 'statements are canceled or exceed their time limit',
  '58030': 'it cannot read or write its files',
}

// A condition counts as ended when it has not recurred for this long.
const overAfterMs = 10_000

/** Logs one line when an outage starts and one line when it ends, no matter how many statements fail in between. */
export interface OutageLog {
  /** Records that PostgreSQL cannot be reached. Logs once per outage. */
  unreachable(error: unknown): void
  /** Records that PostgreSQL is responding again. */
  reached(): void
  /**
   * Records a failed statement. If the error reports a server condition, such as a full disk, logs one line when the
   * condition starts.
   */
  failed(error: unknown): void
  /**
   * Logs one line for each server condition, such as a full disk, that has ended. A condition has ended when no statement
   * has failed because of it for ten seconds. Call this method about once a second.
   */
  tick(): void
}

/** Creates the outage log for one PostgreSQL server. */
export const createOutageLog = (log: Logger, nowMs: () => number): OutageLog => {
  let unreachableSinceMs: number | undefined
  const open = new Map<string, { sinceMs: number; lastMs: number; count: number }>()
  const seconds = (sinceMs: number, untilMs = nowMs()) => Math.round((untilMs - sinceMs) / 1_000)

  return {
    unreachable: (error) => {
      if (unreachableSinceMs !== undefined) return
      unreachableSinceMs = nowMs()
      const reason = error instanceof Error ? error.message : 'PostgreSQL does not respond'
      log.warn(
        { code: firstCodeOf(error) || undefined, reason },
        'PostgreSQL cannot be reached. Requests receive a 503 response until it can be reached again.',
      )
    },
    reached: () => {
      if (unreachableSinceMs === undefined) return
      log.warn({ seconds: seconds(unreachableSinceMs) }, 'PostgreSQL can be reached again.')
      unreachableSinceMs = undefined
    },
    failed: (error) => {
      const code = firstCodeOf(error)
      const condition = conditions[code]
      if (condition === undefined) return
      const episode = open.get(code)
      if (episode) {
        episode.lastMs = nowMs()
        episode.count += 1
        return
      }
      open.set(code, { sinceMs: nowMs(), lastMs: nowMs(), count: 1 })
      log.warn({ code, reason: (error as Error).message }, `PostgreSQL rejects statements: ${condition}.`)
    },
    tick: () => {
      for (const [code, { sinceMs, lastMs, count }] of open) {
        if (nowMs() - lastMs < overAfterMs) continue
        open.delete(code)
        log.warn(
          { code, seconds: seconds(sinceMs, lastMs), errors: count },
          `PostgreSQL no longer rejects statements with the error code ${code}; the last such error was at least ${overAfterMs / 1_000} s ago.`,
        )
      }
    },
  }
}
