import { setTimeout as sleep } from 'node:timers/promises'
import type { Queue } from 'bullmq'
import { expose } from '../processes/rpc.ts'
import { listen } from './express-app.ts'
import type { Notification } from './notification.ts'
import { openQueue, type RedisQueue } from './redis-queue.ts'

// The API process of the peer that uses Express, BullMQ and Redis. It validates requests and adds one job per notification.
// A peer is a service that does the same work as Flowpost, for comparison.

const pollMs = 50

let queue: Queue<Notification> | undefined

const program = {
  /** Starts the server. Returns its port. */
  start: async ({ token, ...redisQueue }: RedisQueue & { readonly token: string }) => {
    const opened = await openQueue(redisQueue)
    queue = opened
    const { port } = await listen({ token, accept: async (notification) => (await opened.add('send', notification)).id ?? '' })
    return port
  },
  /** Waits until no job is left. Rejects if any job has failed. */
  completed: async () => {
    for (;;) {
      const { failed = 0, ...open } = (await queue?.getJobCounts('waiting', 'active', 'delayed', 'failed')) ?? {}
      if (failed > 0) throw new Error(`${failed} jobs have failed.`)
      if (Object.values(open).every((count) => count === 0)) return
      await sleep(pollMs)
    }
  },
  /** Removes all jobs. */
  clear: async () => {
    await queue?.drain()
  },
}

/** The functions that the API process exposes. */
export type QueueApi = typeof program

expose(program)
