import { type Job, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import { openTransport } from '../mail/transport.ts'
import { expose } from '../processes/rpc.ts'
import { type Notification, toMail } from './notification.ts'
import type { RedisQueue } from './redis-queue.ts'

// The worker process of the peer that uses Express, BullMQ and Redis. It renders mail and sends it with nodemailer's pool.
// A peer is a service that does the same work as Flowpost, for comparison.

/** The arguments of `start`. */
export interface QueueWorkerStart extends RedisQueue {
  readonly smtpPort: number
  readonly smtpConnections: number
  /** The maximum number of concurrent jobs. */
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

/** The functions that the worker process exposes. */
export type QueueWorker = typeof program

expose(program)
