import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { openBenchRedis, redisVersion } from './bench-redis.ts'

describe('a Redis server', () => {
  it('has a version that includes whether it writes an append-only file', () => {
    const info = (enabled: number) => `# Server\r\nredis_version:7.0.15\r\n# Persistence\r\naof_enabled:${enabled}\r\n`
    expect(redisVersion(info(0))).toBe('7.0.15 without an append-only file')
    expect(redisVersion(info(1))).toBe('7.0.15 with an append-only file')
  })

  it('rejects with the reason when it does not run', async () => {
    const closed = createServer().listen(0, '127.0.0.1')
    await once(closed, 'listening')
    const { port } = closed.address() as AddressInfo
    closed.close()
    await expect(openBenchRedis(`redis://127.0.0.1:${port}`)).rejects.toThrow('ECONNREFUSED')
  })
})
