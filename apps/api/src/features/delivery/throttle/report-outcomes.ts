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
   * Registers the rescheduled jobs that wait for a probe. If a job's probe has already ended, makes the job due at
   * once.
   */
  await(throttled: Throttled): Promise<void>
  /**
   * Reports the result of an attempt.
   * @param probed the id of the credential whose breaker admitted the message as a probe, if any.
   */
  report(result: SendResult, probed: string | undefined): Promise<void>
  /** Reports a probe that was not sent, so that another message becomes the probe. Resumes a few of the waiting jobs. */
  abandon(credentialId: string): Promise<void>
}

/**
 * Returns what an attempt says about its provider:
 * - `works`: the provider accepted the message, or rejected it because of its target, its content or the credential;
 * - `limits`: the provider works, but accepts no more messages now;
 * - `fails`: the provider returned an error, could not be reached, or lost the response;
 * - `unknown`: the attempt failed before it reached the provider.
 */
const verdictOf = ({ outcome, isAnswered }: SendResult): 'works' | 'limits' | 'fails' | 'unknown' => {
  if (outcome.status === 'sent') return 'works'
  const { kind } = outcome.failure
  if (kind === 'rate') return 'limits'
  if (kind === 'provider' || kind === 'ambiguous') return 'fails'
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

  /** Reports an attempt with the given credential. Unless the message was a probe, only `sent` and failures of the provider count. */
  const resultOf = (credentialId: string, result: SendResult, isProbe: boolean): ProbeResult => {
    const verdict = verdictOf(result)
    if (verdict === 'fails') return breakers.failed(credentialId, isProbe)
    if (!isProbe) return result.outcome.status === 'sent' ? breakers.succeeded(credentialId) : noneWaiting
    if (verdict === 'limits') return breakers.limited(credentialId, result.retryAfterMs)
    return verdict === 'works' ? breakers.succeeded(credentialId) : breakers.probeAbandoned(credentialId)
  }

  const abandon: OutcomeReporter['abandon'] = (credentialId) => resume(breakers.probeAbandoned(credentialId))

  return {
    await: ({ delayed, awaitingProbe }) => {
      const isTooLate = (job: Job): boolean => {
        const credentialId = awaitingProbe.get(job.deliveryId)
        return credentialId !== undefined && !breakers.awaitProbe(credentialId, job)
      }
      return resume({ waiting: delayed.map(({ job }) => job).filter(isTooLate), delayMs: 0 })
    },
    report: async (result, probed) => {
      const { credentialId } = result
      if (credentialId !== undefined) await resume(resultOf(credentialId, result, probed === credentialId))
      if (probed !== undefined && probed !== credentialId) await abandon(probed)
    },
    abandon,
  }
}
