import type { OpenApiDocument } from '@flowpost/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestServer } from '../support/test-server.ts'
import { fuzzApi, startFuzzServer } from './fuzz-api.ts'
import { fuzzRawHttp } from './fuzz-raw-http.ts'
import { createRandom } from './random.ts'

let server: TestServer
beforeAll(async () => {
  server = await startFuzzServer()
})
afterAll(() => server[Symbol.asyncDispose]())

const seed = Number(process.env['FLOWPOST_FUZZ_SEED'] ?? 20261121)

describe('500 random requests', () => {
  it(`receive responses that match the OpenAPI document (seed ${seed})`, async () => {
    const document = (await server.request('GET', '/openapi.json')).json as OpenApiDocument
    const { failures, statuses, succeeded } = await fuzzApi(server, document, { seed, requests: 500, concurrency: 1 })
    expect(failures.slice(0, 5)).toEqual([])
    // Each status occurs, so the requests were not all rejected before they reached an operation.
    for (const status of [200, 201, 204, 400, 401, 404, 422]) expect(statuses.get(status) ?? 0, `${status}`).toBeGreaterThan(0)
    expect([...succeeded]).toEqual(expect.arrayContaining(['GET', 'POST', 'DELETE']))
    expect((await server.request('GET', '/readyz')).status).toBe(200)
    expect(server.logged.filter((line) => line.includes('request failed'))).toEqual([])
  })
})

describe('200 connections with malformed HTTP', () => {
  it(`receive valid responses or none (seed ${seed})`, async () => {
    const { failures, statuses } = await fuzzRawHttp(server, server.keys.alice, createRandom(seed), { connections: 200, concurrency: 8 })
    expect(failures.slice(0, 5)).toEqual([])
    for (const status of [200, 400, 401, 404]) expect(statuses.get(status) ?? 0, `${status}`).toBeGreaterThan(0)
    expect((await server.request('GET', '/readyz')).status).toBe(200)
    expect(server.logged.filter((line) => line.includes('request failed'))).toEqual([])
  })
})
