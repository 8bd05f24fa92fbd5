import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { OpenApiDocument } from '@flowpost/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestServer } from '../support/test-server.ts'
import { fuzzApi, startFuzzServer } from './fuzz-api.ts'
import { fuzzRawHttp } from './fuzz-raw-http.ts'
import { createRandom } from './random.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const seed = Number(process.env['FLOWPOST_FUZZ_SEED'] ?? Math.floor(Math.random() * 1e9))
const megabyte = 1024 * 1024

/** Returns the log lines, except the startup warnings about database settings. */
const loggedByRequests = ({ logged }: TestServer) => logged.filter((line) => !line.includes('autovacuum'))

let server: TestServer
beforeAll(async () => {
  server = await startFuzzServer()
})
afterAll(() => server[Symbol.asyncDispose]())

describe('10,000 random requests', () => {
  it(`receive responses that match the OpenAPI document, without memory growth (seed ${seed})`, async () => {
    const document = (await server.request('GET', '/openapi.json')).json as OpenApiDocument
    const heaps: number[] = []
    const measure = () => {
      collectGarbage()
      heaps.push(Math.round(process.memoryUsage().heapUsed / megabyte))
    }
    const { failures, statuses } = await fuzzApi(server, document, {
      seed,
      requests: 10_000,
      concurrency: 4,
      onThousand: measure,
    })
    expect(failures.slice(0, 10)).toEqual([])
    for (const status of [200, 201, 202, 204, 304, 400, 401, 404, 405, 409, 412, 413, 415, 422])
      expect(statuses.get(status) ?? 0, `${status}`).toBeGreaterThan(0)
    expect(loggedByRequests(server)).toEqual([])
    // The first 3,000 requests fill caches and pools.
    const [baseline = 0] = heaps.slice(2)
    expect(Math.max(...heaps.slice(5)), `heap in MB after each 1,000: ${heaps}`).toBeLessThan(baseline + 20)
  })
})

describe('10,000 connections with malformed HTTP', () => {
  it(`receive valid responses or none, without memory growth (seed ${seed})`, async () => {
    const random = createRandom(seed)
    const heaps: number[] = []
    const failures: string[] = []
    for (let thousand = 0; thousand < 10; thousand += 1) {
      const result = await fuzzRawHttp(server, server.keys.alice, random, { connections: 1_000, concurrency: 8 })
      failures.push(...result.failures)
      collectGarbage()
      heaps.push(Math.round(process.memoryUsage().heapUsed / megabyte))
    }
    expect(failures.slice(0, 10)).toEqual([])
    expect(loggedByRequests(server)).toEqual([])
    expect((await server.request('GET', '/readyz')).status).toBe(200)
    expect(Math.max(...heaps.slice(5)), `heap in MB after each 1,000: ${heaps}`).toBeLessThan((heaps[2] ?? 0) + 20)
  })
})
