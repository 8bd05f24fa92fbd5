import { type Flowpost, isFlowpostError } from '@flowpost/client'
import { handOver, type Job } from './hand-over.ts'

/** A table of messages. Each message was committed together with the data that it is about. */
export interface Outbox {
  /** Returns the oldest rows, at most `limit`. */
  read(limit: number): Promise<readonly Job[]>
  remove(job: Job): Promise<void>
  /** Sets aside a row that can never be sent, so that it does not block the others. */
  reject(job: Job, code: string): Promise<void>
}

/** Hands all rows of the outbox over to Flowpost. If it stops halfway, the next run sends nothing twice. */
export const relay = async (outbox: Outbox, flowpost: Flowpost, project: string): Promise<void> => {
  for (let jobs = await outbox.read(100); jobs.length > 0; jobs = await outbox.read(100)) {
    for (const job of jobs) {
      try {
        await handOver(flowpost, project, job)
        await outbox.remove(job)
      } catch (error) {
        // 422: the message itself is invalid, such as a wrong address. Every other error concerns all rows.
        if (!isFlowpostError(error) || error.status !== 422) throw error
        await outbox.reject(job, error.code)
      }
    }
  }
}
