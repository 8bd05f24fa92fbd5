import type { Clock } from '../../shared/clock.ts'

/** Whether to try now; if not, when. */
export type Admission = { readonly admitted: true } | { readonly admitted: false; readonly until: Date }

/** Keeps an outage from being hammered: one breaker for each provider and credential. */
export interface CircuitBreakers {
  /** Whether a message may be tried through the credential now. A caller that is let through says how it went. */
  admit(credentialId: string): Admission
  /** Whether any breaker is not closed: else nobody need be asked. */
  anyOpen(): boolean
  succeeded(credentialId: string): void
  /** The provider itself failed: not the message, the target or the credential. */
  failed(credentialId: string): void
}

interface Breaker {
  failures: number
  /** When the last attempt failed. */
  failedAt: number
  /** Since when it is open, how long, and whether a probe is on its way. */
  opened?: { until: number; forMs: number; probing: boolean }
}

const failuresToOpen = 5
const firstOpenMs = 5_000
const longestOpenMs = 60_000
// A probe that never says how it went was made by an attempt that was lost; then another one may go.
const probeMs = 30_000
// A credential that nothing fails with any more was replaced, or is not used: every change of one makes another id.
const keptMs = 15 * 60_000

/**
 * Circuit breakers, kept in each process by itself: closed until {@link failuresToOpen} attempts in a
 * row have failed; then open for 5 s, in which nothing is tried; then one probe is let through, which
 * closes it, or opens it for twice as long, up to a minute. One is forgotten when nothing has failed for a while.
 */
export const createCircuitBreakers = (clock: Clock): CircuitBreakers => {
  // In the order of their last failures.
  const breakers = new Map<string, Breaker>()
  const nowMs = () => clock.now().getTime()
  const forgetOld = () => {
    for (const [id, { failedAt }] of breakers) {
      if (nowMs() - failedAt <= keptMs) return
      breakers.delete(id)
    }
  }

  return {
    admit: (id) => {
      const opened = breakers.get(id)?.opened
      if (!opened) return { admitted: true }
      if (nowMs() < opened.until) return { admitted: false, until: new Date(opened.until) }
      opened.probing = true
      opened.until = nowMs() + probeMs
      return { admitted: true }
    },
    anyOpen: () => {
      forgetOld()
      return [...breakers.values()].some(({ opened }) => opened)
    },
    succeeded: (id) => void breakers.delete(id),
    failed: (id) => {
      const breaker = breakers.get(id) ?? { failures: 0, failedAt: 0 }
      breakers.delete(id)
      breakers.set(id, breaker)
      breaker.failures += 1
      breaker.failedAt = nowMs()
      // What was on its way when the breaker opened fails too, and is no news.
      if (breaker.failures < failuresToOpen || (breaker.opened && !breaker.opened.probing)) return
      const forMs = breaker.opened ? Math.min(2 * breaker.opened.forMs, longestOpenMs) : firstOpenMs
      breaker.opened = { until: nowMs() + forMs, forMs, probing: false }
    },
  }
}
