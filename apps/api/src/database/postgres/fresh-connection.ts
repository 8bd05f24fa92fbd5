import type { Client } from 'pg'
import { markAsOfPostgres } from '../failures.ts'
import { connectionOptions } from './connection-options.ts'
import { ConnectionSilentError, WatchedClient } from './watched-client.ts'

/**
 * Runs `work` on a new connection outside the pool, and then closes the connection.
 * @param timeoutMs the time limit, in milliseconds, for connecting and `work` together.
 * @param work receives the client and a function that removes the time limit.
 */
export const onFreshConnection = async <T>(
  url: string,
  timeoutMs: number,
  work: (client: Client, removeTimeout: () => void) => Promise<T>,
): Promise<T> => {
  const client = new WatchedClient(connectionOptions(url, 'flowpost-check'))
  const timer = setTimeout(
    () => client.abandon(new ConnectionSilentError(`PostgreSQL did not respond on a new connection within ${timeoutMs / 1_000} s.`)),
    timeoutMs,
  )
  try {
    await client.connect()
    const result = await work(client, () => clearTimeout(timer))
    // Waits until the session has ended, because `pnpm restore` fails while PostgreSQL lists another Flowpost session.
    await client.end()
    return result
  } catch (error) {
    void client.end()
    throw markAsOfPostgres(error)
  } finally {
    clearTimeout(timer)
  }
}
