import { setTimeout as sleep } from 'node:timers/promises'
import { createFlowpost } from '@flowpost/client'
import { withClient } from '../database/bench-databases.ts'
import { apiKey } from '../processes/flowpost-server.ts'

const pollMs = 50

const until = async (completed: () => Promise<boolean>): Promise<void> => {
  while (!(await completed())) await sleep(pollMs)
}

/** Waits until a PostgreSQL database has no delivery jobs left. Unfinished jobs would slow down the next measurement. */
export const completedInDatabase = (databaseUrl: string): Promise<void> =>
  withClient(databaseUrl, (client) =>
    until(async () => {
      const { rows } = await client.query('select 1 from delivery_jobs limit 1')
      return rows.length === 0
    }),
  )

/** Waits until a server lists no unfinished notifications. An embedded database is only accessible through its server. */
export const completedOnServer = async (port: number): Promise<void> => {
  await using flowpost = createFlowpost({ baseUrl: `http://127.0.0.1:${port}`, apiKey })
  const isEmpty = async (status: 'queued' | 'sending') => (await flowpost.notifications.list({ status, limit: 1 })).data.length === 0
  await until(async () => (await isEmpty('queued')) && (await isEmpty('sending')))
}
