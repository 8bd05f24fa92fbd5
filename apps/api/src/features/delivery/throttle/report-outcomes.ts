import type { Logger } from 'pino'
import type { SendResult } from '../attempts/send.ts'
import type { Job } from '../queue/job.ts'
import type { Queue } from '../queue/queue.ts'
import { type CircuitBreakers, noneWaiting, type ProbeResult } from './circuit-breaker.ts'
import type { Throttled } from './throttle.ts'

/** The dependencies of {@link createOutcomeReporter}. */
export interface OutcomeReporterDeps {
  readonly queue: Pick<Queue, 'reschedule'>
  readonly breakers: CircuitBreakers
  readonly log: Logger
  readonly random: () => number
}

/**
 * Reports the outcomes of messages to the circuit breakers, and resumes the jobs that waited for a probe. For the term
 * "probe", see `Admission`.
 */
export interface OutcomeReporter {
  /**
   * Registers the delayed jobs that wait for the outcome of a probe. The probe is the message of another delivery (see
   * `Admission`). If the probe has already ended, the jobs that wait for the probe become due at once.
   */
  await(throttled: Throttled): Promise<void>
  /**
   * Reports the result of an attempt.
   * @param probed the key of the breaker that admitted the message as a probe, if any.
   */
  report(result: SendResult, probed: string | undefined): Promise<void>
  /**
   * Reports that a probe was not sent. Resumes a few of the jobs that wait for the probe, so that one of them becomes the next
   * probe.
   */
  abandon(breakerKey: string): Promise<void>
}

/**
 * Returns what an attempt says about its provider:
 * - `works`: the provider accepted the message, rejected it permanently, or rejected it because of the target, the
 *   content or the credential;
 * - `limits`: the provider works, but accepts no more messages now;
 * - `fails`: the provider returned a temporary error or could not be reached, or its response was lost;
 * - `unknown`: the attempt failed before it reached the provider.
 */
const verdictOf = ({ outcome, isAnswered }: SendResult): 'works' | 'limits' | 'fails' | 'unknown' => {
  if (outcome.status === 'sent') return 'works'
  const { kind, retryable } = outcome.failure
  if (kind === 'rate') return 'limits'
  if (kind === 'ambiguous') return 'fails'
  // A response with a permanent error concerns only one message, so the provider still counts as working. Otherwise, one
  // tenant's messages could delay the messages of all tenants that share the credential.
  if (kind === 'provider' && (retryable || !isAnswered)) return 'fails'
  return isAnswered ? 'works' : 'unknown'
}

/**
 * Creates an {@link OutcomeReporter}.
 * @param wakeAfter wakes the worker after a delay in milliseconds.
 */
export const createOutcomeReporter = (deps: OutcomeReporterDeps, wakeAfter: (delayMs: number) => void): OutcomeReporter => {
  const { queue, breakers, log, random } = deps

  const resume = async ({ waiting, delayMs }: ProbeResult): Promise<void> => {
    if (waiting.length === 0) return
    const delayed = waiting.map((job) => ({ job, delayMs: delayMs * (1 + random() / 2) }))
    await queue
      .reschedule(delayed)
      .catch((error: unknown) =>
        log.debug({ err: error }, 'Could not resume jobs that waited for a probe; they will run at their scheduled times instead.'),
      )
    wakeAfter(delayMs)
  }

  /**
   * Reports the result of an attempt to a circuit breaker. Returns the waiting jobs to resume. A message that is not a
   * probe affects the breaker only if it was sent or the provider failed.
   */
  const resultOf = (breakerKey: string, result: SendResult, isProbe: boolean): ProbeResult => {
    const verdict = verdictOf(result)
    if (verdict === 'fails') return breakers.failed(breakerKey, isProbe)
    if (!isProbe) return result.outcome.status === 'sent' ? breakers.succeeded(breakerKey) : noneWaiting
    if (verdict === 'limits') return breakers.limited(breakerKey, result.retryAfterMs)
    return verdict === 'works' ? breakers.succeeded(breakerKey) : breakers.probeAbandoned(breakerKey)
  }

  const abandon: OutcomeReporter['abandon'] = (breakerKey) => resume(breakers.probeAbandoned(breakerKey))

  return {
    await: ({ delayed, awaitingProbe }) => {
      const isTooLate = (job: Job): boolean => {
        const breakerKey = awaitingProbe.get(job.deliveryId)
        return breakerKey !== undefined && !breakers.awaitProbe(breakerKey, job)
      }
      return resume({ waiting: delayed.map(({ job }) => job).filter(isTooLate), delayMs: 0 })
    },
    report: async (result, probed) => {
      const { breakerKey } = result
      if (breakerKey !== undefined) await resume(resultOf(breakerKey, result, probed === breakerKey))
      if (probed !== undefined && probed !== breakerKey) await abandon(probed)
    },
    abandon,
  }
}
