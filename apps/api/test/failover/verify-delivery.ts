import { setTimeout as sleep } from 'node:timers/promises'
import type { Flowpost } from '@flowpost/client'
import { Client } from 'pg'
import type { Load } from './load.ts'

/** The outcome of a run. Messages are identified by number. */
export interface Delivered {
  /** Accepted messages that were not received. */
  readonly lost: readonly number[]
  /** Received messages that were not accepted. */
  readonly unexpected: readonly number[]
  /** The number of notifications in the database, keyed by status. */
  readonly statuses: Readonly<Record<string, number>>
  /** The number of messages that were received more than once. */
  readonly duplicates: number
  /** Messages that were received more often than their interrupted attempts explain. */
  readonly unexplained: readonly number[]
}

const maxWaitMs = 120_000

/** Waits until the queue is empty, and compares accepted messages with received ones. */
export const verifyDelivery = async (databaseUrl: string, flowpost: Flowpost, load: Load): Promise<Delivered> => {
  const statuses = await completedStatuses(databaseUrl)
  const numbers = [...load.accepted.keys()]
  const lost = numbers.filter((number) => load.accepted[number] !== undefined && !load.received[number])
  const unexpected = numbers.filter((number) => load.accepted[number] === undefined && load.received[number])
  const duplicated = numbers.filter((number) => (load.received[number] ?? 0) > 1)
  const unexplained: number[] = []
  for (const number of duplicated) {
    const { deliveries } = await flowpost.notifications.get(load.accepted[number] ?? '')
    const attempts = deliveries.flatMap((delivery) => delivery.attempts)
    const interrupted = attempts.filter(({ outcome }) => outcome === 'ambiguous' || outcome === 'retrying').length
    if ((load.received[number] ?? 0) > 1 + interrupted) unexplained.push(number)
  }
  return { lost, unexpected, statuses, duplicates: duplicated.length, unexplained }
}

const completedStatuses = async (databaseUrl: string): Promise<Record<string, number>> => {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const startedMs = performance.now()
    while (performance.now() - startedMs < maxWaitMs) {
      const { rows } = await client.query('select 1 from delivery_jobs limit 1')
      if (rows.length === 0) break
      await sleep(500)
    }
    const { rows } = await client.query<{ status: string; count: number }>(
      'select status, count(*)::int as count from notifications group by 1',
    )
    return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
  } finally {
    await client.end()
  }
}
