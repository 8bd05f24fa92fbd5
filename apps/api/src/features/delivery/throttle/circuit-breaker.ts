import type { Job } from '../queue/queue.ts'

/** Whether a message may be sent now; if not, how long to wait, in milliseconds, and whether a probe decides sooner. */
export type Admission =
  | { readonly admitted: true; readonly isProbe: boolean }
  | { readonly admitted: false; readonly delayMs: number; readonly probing: boolean }

/** Jobs that waited for the outcome of a probe, and how long they have to wait now, in milliseconds. */
export interface ProbeResult {
  readonly waiting: readonly Job[]
  readonly delayMs: number
}

/** Protects a failing provider from more load: one circuit breaker for each provider and credential. */
export interface CircuitBreakers {
  /** Decides whether a message may be sent. The caller reports the outcome of every message that it admits. */
  admit(credentialId: string): Admission
  /**
   * Remembers a job that was rescheduled because of a probe: {@link CircuitBreakers.succeeded} or `failed` returns it.
   * @returns `false` when the probe has ended meanwhile.
   */
  awaitProbe(credentialId: string, job: Job): boolean
  /** Returns whether any breaker is open. While none is, nobody needs to ask. */
  anyOpen(): boolean
  /** Returns for how long a breaker has been open without a success, in milliseconds; 0 when it is closed. */
  openForMs(credentialId: string): number
  /** Reports a message that the provider accepted. */
  succeeded(credentialId: string): ProbeResult
  /** Reports a failure of the provider itself, not of the message, the target or the credential. */
  failed(credentialId: string, isProbe: boolean): ProbeResult
  /** Reports that an admitted probe was not sent, or says nothing about the provider: another message becomes the probe. */
  probeAbandoned(credentialId: string): ProbeResult
}

interface Breaker {
  failures: number
  lastFailureMs: number
  open?: { sinceMs: number; untilMs: number; durationMs: number; probing: boolean; waiting: Job[] }
}

const failuresToOpen = 5
const initialOpenMs = 5_000
const maxOpenMs = 60_000
// A probe that never reports belonged to an attempt that was lost; then another one may go.
const probeTimeoutMs = 30_000
// A changed credential has a new id, so the breaker of the old one would otherwise stay forever.
const expiryMs = 15 * 60_000
const maxWaiting = 10_000
/** The result where no job waited. */
export const noneWaiting: ProbeResult = { waiting: [], delayMs: 0 }

/**
 * Creates the circuit breakers of one process. A breaker opens after five consecutive failures, for 5 s; then one probe is
 * admitted, which closes it, or opens it for twice as long, up to a minute.
 * @param nowMs a monotonic clock, in milliseconds.
 */
export const createCircuitBreakers = (nowMs: () => number): CircuitBreakers => {
  // In the order of their last failures.
  const breakers = new Map<string, Breaker>()

  const removeExpired = (): void => {
    for (const [id, { lastFailureMs }] of breakers) {
      if (nowMs() - lastFailureMs <= expiryMs) return
      breakers.delete(id)
    }
  }

  const takeWaiting = (breaker: Breaker | undefined): readonly Job[] => breaker?.open?.waiting.splice(0) ?? []

  return {
    admit: (id) => {
      const open = breakers.get(id)?.open
      if (!open) return { admitted: true, isProbe: false }
      if (nowMs() < open.untilMs) return { admitted: false, delayMs: open.untilMs - nowMs(), probing: open.probing }
      open.probing = true
      open.untilMs = nowMs() + probeTimeoutMs
      return { admitted: true, isProbe: true }
    },
    awaitProbe: (id, job) => {
      const open = breakers.get(id)?.open
      if (!open?.probing) return false
      if (open.waiting.length < maxWaiting) open.waiting.push(job)
      return true
    },
    anyOpen: () => {
      removeExpired()
      return [...breakers.values()].some(({ open }) => open)
    },
    openForMs: (id) => {
      const open = breakers.get(id)?.open
      return open ? nowMs() - open.sinceMs : 0
    },
    succeeded: (id) => {
      const waiting = takeWaiting(breakers.get(id))
      breakers.delete(id)
      return { waiting, delayMs: 0 }
    },
    failed: (id, isProbe) => {
      const breaker = breakers.get(id) ?? { failures: 0, lastFailureMs: 0 }
      breakers.delete(id)
      breakers.set(id, breaker)
      breaker.failures += 1
      breaker.lastFailureMs = nowMs()
      // While the breaker is open, only a probe decides: messages that were being sent when it opened fail too.
      if (breaker.failures < failuresToOpen || (breaker.open && !isProbe)) return noneWaiting
      const waiting = takeWaiting(breaker)
      const durationMs = breaker.open ? Math.min(2 * breaker.open.durationMs, maxOpenMs) : initialOpenMs
      const sinceMs = breaker.open?.sinceMs ?? nowMs()
      breaker.open = { sinceMs, untilMs: nowMs() + durationMs, durationMs, probing: false, waiting: [] }
      return { waiting, delayMs: durationMs }
    },
    probeAbandoned: (id) => {
      const breaker = breakers.get(id)
      if (!breaker?.open?.probing) return noneWaiting
      breaker.open.probing = false
      breaker.open.untilMs = nowMs()
      return { waiting: takeWaiting(breaker), delayMs: 0 }
    },
  }
}
