import type { Provider } from '@flowpost/delivery'
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

/**
 * Returns the key of the circuit breaker for a message: the credential's id, followed by the target if each target of the
 * provider has its own server. The key may contain an address, so it must not be logged.
 */
export const breakerKeyOf = (provider: Provider | undefined, credentialId: string, target: string): string =>
  provider?.failureScope === 'target' ? `${credentialId} ${target}` : credentialId

/**
 * Protects failing providers from more load. Usually, there is one circuit breaker for each credential. If each target of
 * the provider has its own server, there is one circuit breaker for each credential and target. See {@link breakerKeyOf}
 * for the keys.
 */
export interface CircuitBreakers {
  /**
   * Decides whether a message may be sent. The caller must report the outcome of every admitted message. If the message
   * becomes a probe, cancels the registration that `awaitProbe` made for the delivery's job, if there is one. The job no
   * longer waits for the outcome of a probe.
   */
  admit(key: string, deliveryId: Uuid): Admission
  /**
   * Registers a job that waits for the outcome of a probe. The job replaces an earlier job of the same delivery. The
   * method that reports the outcome returns registered jobs, so that the caller can resume them. If 10,000 jobs are already
   * registered, the job is not registered, and waits until its scheduled time.
   * @returns `false` if the probe has already ended.
   */
  awaitProbe(key: string, job: Job): boolean
  /** Returns whether any breaker is open. */
  anyOpen(): boolean
  /** Returns the number of open breakers. */
  countOpen(): number
  /** Returns the time since a breaker opened, in milliseconds; 0 if it is closed. A failed probe does not reset this time. */
  openForMs(key: string): number
  /** Reports that the provider works, and closes the breaker. Returns all jobs that waited for a probe. */
  succeeded(key: string): ProbeResult
  /** Reports a message that failed because of the provider, not because of the message, the target or the credential. */
  failed(key: string, isProbe: boolean): ProbeResult
  /**
   * Reports that the provider rejected a probe because of its rate limit.
   * @param retryAfterMs the wait that the provider requested, in milliseconds.
   */
  limited(key: string, retryAfterMs?: number): ProbeResult
  /**
   * Reports that a probe did not reach the provider, so that the next message becomes the probe. Returns at most ten of
   * the waiting jobs: one to become the next probe, and some more in case that job cannot start. The others stay registered.
   * If all were returned, the worker would claim and reschedule every job again after each abandoned probe.
   */
  probeAbandoned(key: string): ProbeResult
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
// A changed credential has a new id, and so a new key. Without an expiry, the breaker for the old key would never be removed.
// The expiry is longer than the time between two probes, which is at most `maxOpenMs` and some seconds while jobs of the key are
// due. It is shorter than the 15 minutes of the alert FlowpostCircuitBreakerOpen, which must not fire for a key that is no
// longer used.
const expiryMs = 10 * 60_000
const maxWaiting = 10_000
// Several jobs are resumed, because some of them may be unable to become the probe: a delivery may have been canceled, or
// another process may have claimed a job.
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
  // The breakers, ordered by the time of their last failure, oldest first.
  const breakers = new Map<string, Breaker>()

  const removeExpired = (): void => {
    for (const [key, { lastFailureMs }] of breakers) {
      if (nowMs() - lastFailureMs <= expiryMs) return
      breakers.delete(key)
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

  const fail = (key: string, isProbe: boolean, retryAfterMs: number): ProbeResult => {
    const breaker = breakers.get(key) ?? { failures: 0, lastFailureMs: 0 }
    breakers.delete(key)
    breakers.set(key, breaker)
    breaker.failures += 1
    breaker.lastFailureMs = nowMs()
    // If the breaker is already open, only a failed probe extends its wait. The failure of another message does not extend it,
    // because that message was usually sent before the breaker opened.
    if (breaker.failures < failuresToOpen || (breaker.open && !isProbe)) return noneWaiting
    const waiting = takeWaiting(breaker)
    const durationMs = breaker.open ? Math.min(Math.max(2 * breaker.open.durationMs, retryAfterMs), maxOpenMs) : initialOpenMs
    const sinceMs = breaker.open?.sinceMs ?? nowMs()
    breaker.open = { sinceMs, untilMs: nowMs() + durationMs, durationMs, probing: false, waiting: new Map() }
    return { waiting, delayMs: durationMs }
  }

  return {
    admit: (key, deliveryId) => {
      const open = breakers.get(key)?.open
      if (!open) return { admitted: true, isProbe: false }
      if (nowMs() < open.untilMs) return { admitted: false, delayMs: open.untilMs - nowMs(), probing: open.probing }
      open.waiting.delete(deliveryId)
      open.probing = true
      open.untilMs = nowMs() + probeTimeoutMs
      return { admitted: true, isProbe: true }
    },
    awaitProbe: (key, job) => {
      const open = breakers.get(key)?.open
      if (!open?.probing) return false
      open.waiting.delete(job.deliveryId)
      if (open.waiting.size < maxWaiting) open.waiting.set(job.deliveryId, job)
      return true
    },
    anyOpen: () => countOpen() > 0,
    countOpen,
    openForMs: (key) => {
      const open = breakers.get(key)?.open
      return open ? nowMs() - open.sinceMs : 0
    },
    succeeded: (key) => {
      const waiting = takeWaiting(breakers.get(key))
      breakers.delete(key)
      return { waiting, delayMs: 0 }
    },
    failed: (key, isProbe) => fail(key, isProbe, 0),
    limited: (key, retryAfterMs = 0) => (breakers.get(key)?.open ? fail(key, true, retryAfterMs) : noneWaiting),
    probeAbandoned: (key) => {
      const breaker = breakers.get(key)
      if (!breaker?.open?.probing) return noneWaiting
      breaker.open.probing = false
      breaker.open.untilMs = nowMs()
      return { waiting: takeWaiting(breaker, resumedPerAbandonedProbe), delayMs: 0 }
    },
  }
}
