import { Redis } from 'ioredis'

/** A Redis server, and the prefix of all keys that a run stores on it. */
export interface BenchRedis {
  readonly url: string
  /** The result of {@link redisVersion} for this server. */
  readonly version: string
  readonly prefix: string
  /** Deletes the keys of the run. */
  deleteKeys(): Promise<void>
}

/**
 * Describes a Redis server from the output of `INFO`: its version, and whether it writes an append-only file. Example:
 * `7.0.15 without an append-only file`.
 */
export const redisVersion = (info: string): string => {
  const field = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1]
  return `${field('redis_version') ?? 'unknown'} ${field('aof_enabled') === '1' ? 'with' : 'without'} an append-only file`
}

const connectTimeoutMs = 2_000
const scanCount = 1_000

/** Runs `work` on a new connection. Throws if the server does not respond. */
const withRedis = async <T>(url: string, work: (redis: Redis) => Promise<T>): Promise<T> => {
  const redis = new Redis(url, { lazyConnect: true, connectTimeout: connectTimeoutMs, retryStrategy: () => null })
  // `connect` rejects with a generic message. Only the `error` event contains the reason.
  let reason: Error | undefined
  redis.on('error', (error) => {
    reason = error
  })
  try {
    await redis.connect()
    return await work(redis)
  } catch (error) {
    throw reason ?? error
  } finally {
    redis.disconnect()
  }
}

/**
 * Connects to a Redis server.
 * @throws Error if the server does not respond.
 */
export const openBenchRedis = async (url: string): Promise<BenchRedis> => {
  const version = await withRedis(url, async (redis) => redisVersion(await redis.info()))
  const prefix = `flowpost_bench_${process.pid}`
  return {
    url,
    version,
    prefix,
    deleteKeys: () =>
      withRedis(url, async (redis) => {
        for await (const keys of redis.scanStream({ match: `${prefix}:*`, count: scanCount })) {
          if (keys.length > 0) await redis.unlink(...keys)
        }
      }),
  }
}
