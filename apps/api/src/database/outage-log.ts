import type { Logger } from 'pino'
import { firstCodeOf } from './failures.ts'

/** What to tell an operator about a server that answers and still rejects statements, by SQLSTATE. */
const conditions: Readonly<Record<string, string>> = {
  '25006': 'it is a standby or read-only',
  '53000': 'it is short of resources',
  '53100': 'its disk is full',
  '53200': 'it is out of memory',
  '53300': 'it has no connection left: raise max_connections or run fewer processes',
  '53400': 'a limit of its configuration is exceeded',
  '55P03': 'a lock is held for too long',
  '57014': 'statements are canceled or exceed their time limit',
  '58030': 'it cannot read or write its files',
}

// A condition that has not come back for this long is over.
const overAfterMs = 10_000

/** Logs one line when an outage begins and one when it ends, however many statements fail in between. */
export interface OutageLog {
  /** PostgreSQL cannot be reached. Lines after the first are left out. */
  unreachable(error: unknown): void
  /** PostgreSQL answers again. */
  reached(): void
  /** Notes a failed statement. Only errors that say that the server is short of something are logged. */
  failed(error: unknown): void
  /** Looks whether a condition is over. To be called about every second. */
  tick(): void
}

/** Makes the log of outages of one PostgreSQL server. */
export const createOutageLog = (log: Logger, nowMs: () => number): OutageLog => {
  let unreachableSinceMs: number | undefined
  const open = new Map<string, { sinceMs: number; lastMs: number; count: number }>()
  const seconds = (sinceMs: number, untilMs = nowMs()) => Math.round((untilMs - sinceMs) / 1_000)

  return {
    unreachable: (error) => {
      if (unreachableSinceMs !== undefined) return
      unreachableSinceMs = nowMs()
      const reason = error instanceof Error ? error.message : 'no statement was answered'
      log.warn(
        { code: firstCodeOf(error) || undefined, reason },
        'PostgreSQL cannot be reached. Requests are answered with 503 until it is.',
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
        log.warn({ code, seconds: seconds(sinceMs, lastMs), errors: count }, 'PostgreSQL no longer rejects statements for that reason.')
      }
    },
  }
}
