import type { Flowpost } from '@flowpost/client'

/** A row in the queue: one message for one recipient. */
export interface Job {
  readonly id: string
  /** The kind of message, such as `invoice-ready`. */
  readonly kind: string
  readonly recipient: string
  readonly subject: string
  readonly text: string
  /** The id of the invoice that the message is about. */
  readonly invoiceId: string
}

/** Hands a job over to Flowpost. The idempotency key contains the job's id, so a job that runs again sends nothing twice. */
export const handOver = (flowpost: Flowpost, project: string, job: Job) =>
  flowpost.notifications.send(
    {
      project,
      flow: 'mail',
      target: `smtp:${job.recipient}`,
      subject: job.subject,
      message: job.text,
      reference: job.invoiceId,
      metadata: { job: job.id, kind: job.kind },
    },
    { idempotencyKey: `${project}:job:${job.id}` },
  )
