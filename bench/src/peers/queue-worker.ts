import { type Job, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import { offer } from '../processes/calls.ts'
import { openTransport } from './mail-transport.ts'
import { type Notification, toMail } from './notification.ts'
import type { RedisQueue } from './redis-queue.ts'

// The worker process of Express, BullMQ and Redis: it renders and sends with nodemailer's pool.

/** What the worker process is started with. */
export interface QueueWorkerStart extends RedisQueue {
  readonly smtpPort: number
  readonly smtpConnections: number
  /** Jobs at a time. */
  readonly concurrency: number
}

const program = {
  start: async ({ redisUrl, prefix, queueName, smtpPort, smtpConnections, concurrency }: QueueWorkerStart) => {
    const transport = openTransport(smtpPort, smtpConnections)
    const send = async (job: Job<Notification>) => void (await transport.sendMail(toMail(job.data)))
    const connection = new Redis(redisUrl, { maxRetriesPerRequest: null })
    const worker = new Worker<Notification>(queueName, send, { connection, prefix, concurrency })
    worker.on('error', (error) => console.error(error))
    await worker.waitUntilReady()
  },
}

/** What the worker process offers. */
export type QueueWorker = typeof program

offer(program)
