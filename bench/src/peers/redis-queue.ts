import { Queue } from 'bullmq'
import { Redis } from 'ioredis'
import type { Notification } from './notification.ts'

/** A BullMQ queue: its Redis server, the prefix of its keys, and its name. */
export interface RedisQueue {
  readonly redisUrl: string
  readonly prefix: string
  readonly queueName: string
}

const attempts = 5
const backoff = { type: 'exponential', delay: 5_000 } as const

/** Opens the producer side of a queue. If Redis is not available, adding a job fails instead of waiting. */
export const openQueue = async ({ redisUrl, prefix, queueName }: RedisQueue): Promise<Queue<Notification>> => {
  const queue = new Queue<Notification>(queueName, {
    connection: new Redis(redisUrl, { maxRetriesPerRequest: 1 }),
    prefix,
    defaultJobOptions: { attempts, backoff, removeOnComplete: true, removeOnFail: { count: 1_000 } },
  })
  await queue.waitUntilReady()
  return queue
}
