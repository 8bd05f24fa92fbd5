import type { BenchRedis } from '../database/bench-redis.ts'
import type { InlineServer } from '../peers/inline-server.ts'
import type { QueueApi } from '../peers/queue-api.ts'
import type { QueueWorker } from '../peers/queue-worker.ts'
import { apiKey } from '../processes/flowpost-server.ts'
import { startProgram } from '../processes/start-program.ts'
import type { Context } from './context.ts'
import { smtpConnections } from './mail.ts'

// The worker of the comparison service sends this many messages at once: two per connection, so that no connection is idle. The
// limit of a Flowpost worker for one project is the same.
const jobConcurrency = 2 * smtpConnections

/** Starts the API process of the comparison service that uses Express, BullMQ and Redis. Creates the queue. */
export const startQueueApi = async ({ defer }: Context, { url, prefix }: BenchRedis, queueName: string) => {
  const api = startProgram<QueueApi>(new URL('../peers/queue-api.ts', import.meta.url))
  defer(api.stop)
  return { api, port: await api.call('start', { redisUrl: url, prefix, queueName, token: apiKey }) }
}

/** Starts the worker process of the comparison service that uses Express, BullMQ and Redis. */
export const startQueueWorker = async ({ defer }: Context, { url, prefix }: BenchRedis, queueName: string, smtpPort: number) => {
  const worker = startProgram<QueueWorker>(new URL('../peers/queue-worker.ts', import.meta.url))
  defer(worker.stop)
  await worker.call('start', { redisUrl: url, prefix, queueName, smtpPort, smtpConnections, concurrency: jobConcurrency })
}

/** Starts the comparison service that uses Express and nodemailer in one process. Returns the port of its API. */
export const startInlineServer = async ({ defer }: Context, smtpPort: number): Promise<number> => {
  const server = startProgram<InlineServer>(new URL('../peers/inline-server.ts', import.meta.url))
  defer(server.stop)
  return server.call('start', { token: apiKey, smtpPort, smtpConnections })
}
