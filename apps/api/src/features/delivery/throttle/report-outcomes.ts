import type { Logger } from 'pino'
import type { Outcome } from '../attempts/send.ts'
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
   * Reports the outcome of a message.
   * @param credentialId the id of the credential that the message used, if any.
   * @param probed the id of the credential whose breaker admitted the message as a probe, if any.
   */
  report(outcome: Outcome, credentialId: string | undefined, probed: string | undefined): Promise<void>
  /** Reports a probe that was not sent, so that another message becomes the probe. */
  abandon(credentialId: string): Promise<void>
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

  const resultOf = (outcome: Outcome, credentialId: string, isProbe: boolean): ProbeResult => {
    if (outcome.status === 'sent') return breakers.succeeded(credentialId)
    const { kind } = outcome.failure
    if (kind === 'provider' || kind === 'ambiguous') return breakers.failed(credentialId, isProbe)
    return isProbe ? breakers.probeAbandoned(credentialId) : noneWaiting
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
    report: async (outcome, credentialId, probed) => {
      if (credentialId !== undefined) await resume(resultOf(outcome, credentialId, probed === credentialId))
      if (probed !== undefined && probed !== credentialId) await abandon(probed)
    },
    abandon,
  }
}
