import { setTimeout as sleep } from 'node:timers/promises'
import { quantile } from '../statistics.ts'
import { type Connection, openConnection } from './connection.ts'
import { type LoadJob, type LoadResult, numbered, type PacedJob, requestBytes } from './load-job.ts'

const openAll = (port: number, count: number): Promise<Connection[]> =>
  Promise.all(Array.from({ length: count }, () => openConnection(port)))

/** Throws if a response is not a success. */
const requireSuccess = (status: number, { method, path }: { method: string; path: string }): void => {
  if (status < 200 || status > 299) throw new Error(`${method} ${path} returned ${status}.`)
}

/**
 * Keeps every connection busy with one request at a time. Ends after the duration of the job, but not before a response has
 * been measured.
 * @throws Error if a response is not a success.
 */
export const saturate = async (job: LoadJob): Promise<LoadResult> => {
  const { requests, warmUpMs, measuredMs } = job
  const bytes = requests.map((request) => requestBytes(request, job.authorization))
  const connections = await openAll(job.port, job.connections)
  const countFromMs = performance.now() + warmUpMs
  const endMs = countFromMs + measuredMs
  const latenciesMs: number[] = []
  let lastMs = endMs
  let next = job.from ?? 0

  const keepBusy = async (connection: Connection): Promise<void> => {
    for (let startedMs = performance.now(); startedMs < endMs || latenciesMs.length === 0; ) {
      const index = next % requests.length
      next += 1
      const status = await connection.send(bytes[index] as Buffer)
      requireSuccess(status, requests[index] as LoadJob['requests'][number])
      const endedMs = performance.now()
      if (endedMs >= countFromMs && (endedMs < endMs || latenciesMs.length === 0)) {
        latenciesMs.push(endedMs - startedMs)
        lastMs = Math.max(endMs, endedMs)
      }
      startedMs = endedMs
    }
  }

  try {
    await Promise.all(connections.map(keepBusy))
  } finally {
    for (const connection of connections) connection.close()
  }
  return {
    perSecond: (latenciesMs.length * 1000) / (lastMs - countFromMs),
    p50Ms: quantile(latenciesMs, 0.5),
    p99Ms: quantile(latenciesMs, 0.99),
    next,
  }
}

/** Returns the time, in milliseconds, of a clock that all processes on the machine share. */
export const sharedClockMs = (): number => Number(process.hrtime.bigint()) / 1e6

/**
 * Sends requests at a fixed rate.
 * @returns the time of each response, by {@link sharedClockMs}.
 * @throws Error if a response is not a success.
 */
export const pace = async (job: PacedJob): Promise<Float64Array> => {
  const { request, count, rate } = job
  const respondedAtMs = new Float64Array(count)
  const connections = await openAll(job.port, job.connections)
  const startMs = performance.now()
  let next = 0

  const sendInTurn = async (connection: Connection): Promise<void> => {
    while (next < count) {
      const number = next
      next += 1
      const dueInMs = startMs + (number * 1000) / rate - performance.now()
      if (dueInMs > 0) await sleep(dueInMs)
      const body = request.body === undefined ? {} : { body: numbered(request.body, number) }
      requireSuccess(await connection.send(requestBytes({ ...request, ...body }, job.authorization)), request)
      respondedAtMs[number] = sharedClockMs()
    }
  }

  try {
    await Promise.all(connections.map(sendInTurn))
  } finally {
    for (const connection of connections) connection.close()
  }
  return respondedAtMs
}
