import type { Uuid } from '../../../shared/ids.ts'
import type { Job } from '../queue/job.ts'

/**
 * The decision whether a message may be sent now. If not, `delayMs` is how long to wait, in milliseconds, and `probing`
 * means that a probe may end the wait sooner. A probe is a single message that tests whether a failing provider works
 * again.
 */
export type Admission =
  | { readonly admitted: true; readonly isProbe: boolean }
  | { readonly admitted: false; readonly delayMs: number; readonly probing: boolean }

/** The jobs that waited for the outcome of a probe, and the delay in milliseconds after which they may start. */
export interface ProbeResult {
  readonly waiting: readonly Job[]
  readonly delayMs: number
}

/** Protects failing providers from more load. There is one circuit breaker for each provider credential. */
export interface CircuitBreakers {
  /**
   * Decides whether a message may be sent. An admitted message no longer waits for a probe. The caller must report the
   * outcome of every admitted message.
   */
  admit(credentialId: string, deliveryId: Uuid): Admission
  /**
   * Registers a job that waits for the outcome of a probe, instead of an earlier job of the same delivery. The call that ends
   * the probe (`succeeded`, `failed`, `limited` or `probeAbandoned`) returns the job, unless 10,000 jobs were already
   * waiting. `probeAbandoned` may leave it for a later call.
   * @returns `false` if the probe has already ended.
   */
  awaitProbe(credentialId: string, job: Job): boolean
  /** Returns whether any breaker is open. */
  anyOpen(): boolean
  /** Returns the number of open breakers. */
  countOpen(): number
  /** Returns the time since a breaker opened, in milliseconds; 0 if it is closed. A failed probe does not restart this time. */
  openForMs(credentialId: string): number
  /** Reports a message that shows that the provider works. */
  succeeded(credentialId: string): ProbeResult
  /** Reports a message that failed because of the provider, not because of the message, the target or the credential. */
  failed(credentialId: string, isProbe: boolean): ProbeResult
  /**
   * Reports that the provider rejected a probe because of its rate limit.
   * @param retryAfterMs the wait that the provider requested, in milliseconds.
   */
  limited(credentialId: string, retryAfterMs?: number): ProbeResult
  /**
   * Reports that a probe did not reach the provider. The next message becomes the probe. Returns at most ten waiting jobs,
   * one of which may be that message. The others continue to wait: if all were resumed, each abandoned probe would cost a
   * claim and a reschedule of every job.
   */
  probeAbandoned(credentialId: string): ProbeResult
}

interface Breaker {
  failures: number
  lastFailureMs: number
  open?: { sinceMs: number; untilMs: number; durationMs: number; probing: boolean; waiting: Map<Uuid, Job> }
}

const failuresToOpen = 5
const initialOpenMs = 5_000
const maxOpenMs = 60_000
// If the outcome of a probe is not reported within this time, the probe counts as lost, and another message becomes the probe.
const probeTimeoutMs = 30_000
// A changed credential has a new id. Without an expiry, the breaker for the old id would never be removed.
const expiryMs = 15 * 60_000
const maxWaiting = 10_000
// More than one, because a job that was canceled, or claimed by another process, cannot become the probe.
const resumedPerAbandonedProbe = 10
/** The result when no jobs waited. */
export const noneWaiting: ProbeResult = { waiting: [], delayMs: 0 }

/**
 * Creates the circuit breakers for one process. A breaker opens for 5 s after five consecutive failures. Then it admits
 * one probe. If the probe succeeds, the breaker closes; if it fails or is rate-limited, the breaker opens for twice as long,
 * up to a minute.
 * @param nowMs a monotonic clock, in milliseconds.
 */
export const createCircuitBreakers = (nowMs: () => number): CircuitBreakers => {
  // The breakers, in the order of their last failures.
  const breakers = new Map<string, Breaker>()

  const removeExpired = (): void => {
    for (const [id, { lastFailureMs }] of breakers) {
      if (nowMs() - lastFailureMs <= expiryMs) return
      breakers.delete(id)
    }
  }

  const countOpen = (): number => {
    removeExpired()
    return [...breakers.values()].filter(({ open }) => open).length
  }

  const takeWaiting = (breaker: Breaker | undefined, limit?: number): readonly Job[] => {
    const { waiting = new Map<Uuid, Job>() } = breaker?.open ?? {}
    const taken = [...waiting.values()].slice(0, limit)
    for (const { deliveryId } of taken) waiting.delete(deliveryId)
    return taken
  }

  const fail = (id: string, isProbe: boolean, retryAfterMs: number): ProbeResult => {
    const breaker = breakers.get(id) ?? { failures: 0, lastFailureMs: 0 }
    breakers.delete(id)
    breakers.set(id, breaker)
    breaker.failures += 1
    breaker.lastFailureMs = nowMs()
    // While the breaker is open, only a probe counts: messages that were in flight when it opened may fail, too.
    if (breaker.failures < failuresToOpen || (breaker.open && !isProbe)) return noneWaiting
    const waiting = takeWaiting(breaker)
    const durationMs = breaker.open ? Math.min(Math.max(2 * breaker.open.durationMs, retryAfterMs), maxOpenMs) : initialOpenMs
    const sinceMs = breaker.open?.sinceMs ?? nowMs()
    breaker.open = { sinceMs, untilMs: nowMs() + durationMs, durationMs, probing: false, waiting: new Map() }
    return { waiting, delayMs: durationMs }
  }

  return {
    admit: (id, deliveryId) => {
      const open = breakers.get(id)?.open
      if (!open) return { admitted: true, isProbe: false }
      if (nowMs() < open.untilMs) return { admitted: false, delayMs: open.untilMs - nowMs(), probing: open.probing }
      open.waiting.delete(deliveryId)
      open.probing = true
      open.untilMs = nowMs() + probeTimeoutMs
      return { admitted: true, isProbe: true }
    },
    awaitProbe: (id, job) => {
      const open = breakers.get(id)?.open
      if (!open?.probing) return false
      open.waiting.delete(job.deliveryId)
      if (open.waiting.size < maxWaiting) open.waiting.set(job.deliveryId, job)
      return true
    },
    anyOpen: () => countOpen() > 0,
    countOpen,
    openForMs: (id) => {
      const open = breakers.get(id)?.open
      return open ? nowMs() - open.sinceMs : 0
    },
    succeeded: (id) => {
      const waiting = takeWaiting(breakers.get(id))
      breakers.delete(id)
      return { waiting, delayMs: 0 }
    },
    failed: (id, isProbe) => fail(id, isProbe, 0),
    limited: (id, retryAfterMs = 0) => (breakers.get(id)?.open ? fail(id, true, retryAfterMs) : noneWaiting),
    probeAbandoned: (id) => {
      const breaker = breakers.get(id)
      if (!breaker?.open?.probing) return noneWaiting
      breaker.open.probing = false
      breaker.open.untilMs = nowMs()
      return { waiting: takeWaiting(breaker, resumedPerAbandonedProbe), delayMs: 0 }
    },
  }
}
