import { type Flowpost, isFlowpostError } from '@flowpost/client'
import { handOver, type Job } from './hand-over.ts'

/** A transactional outbox: a table of messages, each inserted in the same transaction as the change it announces. */
export interface Outbox {
  /** Returns the oldest rows, at most `limit`. */
  read(limit: number): Promise<readonly Job[]>
  remove(job: Job): Promise<void>
  /** Sets aside a row that can never be sent, so that it does not block the others. */
  reject(job: Job, code: string): Promise<void>
}

/** The codes of errors that concern only one row, such as a wrong address. Every other error concerns all rows. */
const rowErrors: ReadonlySet<string> = new Set([
  'body_too_large',
  'content_too_long',
  'idempotency_key_reused',
  'invalid_argument',
  'invalid_json',
  'malformed_header',
  'too_many_deliveries',
  'validation_failed',
])

/** Hands all rows of the outbox over to Flowpost. If it stops halfway, the next run sends nothing twice. */
export const relay = async (outbox: Outbox, flowpost: Flowpost, project: string): Promise<void> => {
  for (let jobs = await outbox.read(100); jobs.length > 0; jobs = await outbox.read(100)) {
    for (const job of jobs) {
      try {
        await handOver(flowpost, project, job)
        await outbox.remove(job)
      } catch (error) {
        if (!isFlowpostError(error) || !rowErrors.has(error.code)) throw error
        await outbox.reject(job, error.code)
      }
    }
  }
}
