import type { Client } from 'pg'
import { markAsOfPostgres } from '../failures.ts'
import { connectionOptions } from './connection-options.ts'
import { ConnectionSilentError, WatchedClient } from './watched-client.ts'

/**
 * Runs `work` on a new connection outside the pool, and then closes the connection.
 * @param timeoutMs the time limit, in milliseconds, for connecting and `work` together.
 */
export const onFreshConnection = async <T>(url: string, timeoutMs: number, work: (client: Client) => Promise<T>): Promise<T> => {
  const client = new WatchedClient(connectionOptions(url, 'flowpost-check'))
  const timer = setTimeout(
    () => client.abandon(new ConnectionSilentError(`PostgreSQL did not respond on a new connection within ${timeoutMs / 1_000} s.`)),
    timeoutMs,
  )
  try {
    await client.connect()
    return await work(client)
  } catch (error) {
    throw markAsOfPostgres(error)
  } finally {
    clearTimeout(timer)
    void client.end()
  }
}
