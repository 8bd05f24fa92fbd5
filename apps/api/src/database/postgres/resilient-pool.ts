import type { Pool, PoolClient } from 'pg'
import { isServerFull, markAsOfPostgres } from '../failures.ts'
import { connectTimeoutMs } from './connection-options.ts'

type Release = (error?: Error | boolean) => void
type ConnectCallback = (error: Error | undefined, client: PoolClient | undefined, release: Release) => void

const noop = () => {}

/**
 * Removes a connection from the pool as soon as it is lost. Otherwise, connections would leak until the pool is
 * exhausted, because the ORM's query builder does not release a connection whose `begin`, `commit` or `rollback` fails.
 * @returns the function that releases the connection.
 */
const releaseWhenLost = (client: PoolClient): Release => {
  const release = client.release.bind(client)
  let isLost = false
  const onEnd = () => {
    isLost = true
    release(true)
  }
  client.once('end', onEnd)
  client.release = (error) => {
    // Nothing to do: the connection was removed from the pool when it was lost.
    if (isLost) return
    client.off('end', onEnd)
    release(error)
  }
  return client.release
}

/** The options of {@link addResilience}. */
export interface ResilientPoolOptions {
  /** If the server has no connection left, the pool does not grow for this time, in milliseconds. @default 5,000 */
  readonly retryAfterMs?: number
  /** Called with the error when the pool cannot provide a connection. */
  readonly onError?: (error: unknown) => void
}

/**
 * Replaces `pool.connect`. The replacement differs in two ways:
 * - It removes a connection from the pool as soon as the connection is lost, so that the pool stays usable.
 * - If PostgreSQL accepts no more connections, callers wait until one of the pool's connections is free, because this often
 *   takes only a moment. `pg` would reject the calls instead.
 */
export const addResilience = (pool: Pool, { retryAfterMs = connectTimeoutMs, onError = noop }: ResilientPoolOptions = {}): void => {
  const connect = pool.connect.bind(pool) as (callback: ConnectCallback) => void
  const { max } = pool.options
  let growing: NodeJS.Timeout | undefined

  const stopGrowing = (): void => {
    pool.options.max = Math.max(1, pool.totalCount)
    clearTimeout(growing)
    growing = setTimeout(() => {
      pool.options.max = max
    }, retryAfterMs)
    growing.unref()
  }

  const attempt = (callback: ConnectCallback, giveUpAtMs: number): void =>
    connect((error, client) => {
      if (client) return callback(undefined, client, releaseWhenLost(client))
      markAsOfPostgres(error)
      if (isServerFull(error) && pool.totalCount > 0 && performance.now() < giveUpAtMs) {
        stopGrowing()
        return attempt(callback, giveUpAtMs)
      }
      onError(error)
      callback(error, undefined, noop)
    })

  const connectOrWait = (callback?: ConnectCallback): Promise<PoolClient> | undefined => {
    const giveUpAtMs = performance.now() + connectTimeoutMs
    if (callback) return void attempt(callback, giveUpAtMs)
    return new Promise((resolve, reject) => attempt((error, client) => (client ? resolve(client) : reject(error)), giveUpAtMs))
  }
  pool.connect = connectOrWait as typeof pool.connect
}
