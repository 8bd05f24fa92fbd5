import type { BenchRedis } from '../database/bench-redis.ts'
import type { InlineServer } from '../peers/inline-server.ts'
import type { QueueApi } from '../peers/queue-api.ts'
import type { QueueWorker } from '../peers/queue-worker.ts'
import { apiKey } from '../processes/flowpost-server.ts'
import { startProgram } from '../processes/start-program.ts'
import type { Context } from './context.ts'
import { smtpConnections } from './mail.ts'

// As many as a Flowpost worker sends for one project: two for each connection, so that none waits for the next job.
const jobsAtATime = 2 * smtpConnections

/** Starts the API process of Express, BullMQ and Redis, with a queue of its own. */
export const startQueueApi = async ({ later }: Context, { url, prefix }: BenchRedis, queueName: string) => {
  const api = startProgram<QueueApi>(new URL('../peers/queue-api.ts', import.meta.url))
  later(api.stop)
  return { api, port: await api.call('start', { redisUrl: url, prefix, queueName, token: apiKey }) }
}

/** Starts the worker process of Express, BullMQ and Redis. */
export const startQueueWorker = async ({ later }: Context, { url, prefix }: BenchRedis, queueName: string, smtpPort: number) => {
  const worker = startProgram<QueueWorker>(new URL('../peers/queue-worker.ts', import.meta.url))
  later(worker.stop)
  await worker.call('start', { redisUrl: url, prefix, queueName, smtpPort, smtpConnections, concurrency: jobsAtATime })
}

/** Starts Express and nodemailer in one process. @returns the port of its API. */
export const startInlineServer = async ({ later }: Context, smtpPort: number): Promise<number> => {
  const server = startProgram<InlineServer>(new URL('../peers/inline-server.ts', import.meta.url))
  later(server.stop)
  return server.call('start', { token: apiKey, smtpPort, smtpConnections })
}
