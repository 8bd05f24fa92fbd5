import type { Flowpost } from '@flowpost/client'
import { handOver, type Job } from './hand-over.ts'

/**
 * The code that sends the message of a job:
 * - `old`: the old code.
 * - `compare`: the old code. Flowpost also captures a copy for comparison.
 * - `flowpost`: Flowpost.
 */
export type Route = 'old' | 'compare' | 'flowpost'

/** The dependencies of {@link runJob}. */
export interface Senders {
  /** The code that sends messages today. */
  readonly sendOld: (job: Job) => Promise<void>
  /** A client with a test key. Flowpost captures its messages and does not send them. */
  readonly tester: Flowpost
  readonly flowpost: Flowpost
  readonly project: string
}

/** Runs a job from the queue. Either the old code or Flowpost sends its message, never both. */
export const runJob = async (job: Job, route: Route, { sendOld, tester, flowpost, project }: Senders): Promise<void> => {
  if (route === 'flowpost') {
    await handOver(flowpost, project, job)
    return
  }
  await sendOld(job)
  // An error of the comparison is only logged. If it failed the job, the queue would run the job again, and the old code would
  // send the message a second time.
  if (route === 'compare')
    await handOver(tester, project, job).catch((error: unknown) => console.error('Comparison failed.', job.id, error))
}
