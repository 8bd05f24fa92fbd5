import type { OpenApiDocument } from '@flowpost/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestServer } from '../support/test-server.ts'
import { createRandom } from './random.ts'
import { fuzz, startFuzzServer } from './run.ts'
import { fuzzWire } from './wire.ts'

let server: TestServer
beforeAll(async () => {
  server = await startFuzzServer()
})
afterAll(() => server[Symbol.asyncDispose]())

const seed = Number(process.env['FLOWPOST_FUZZ_SEED'] ?? 20261121)

describe('500 random requests', () => {
  it(`are answered as the OpenAPI document says (seed ${seed})`, async () => {
    const document = (await server.request('GET', '/openapi.json')).json as OpenApiDocument
    const { faults, statuses, succeeded } = await fuzz(server, document, { seed, requests: 500, atOnce: 1 })
    expect(faults.slice(0, 5)).toEqual([])
    // They were not all refused at the door.
    for (const status of [200, 201, 204, 400, 401, 404, 422]) expect(statuses.get(status) ?? 0, `${status}`).toBeGreaterThan(0)
    expect([...succeeded]).toEqual(expect.arrayContaining(['GET', 'POST', 'DELETE']))
    expect((await server.request('GET', '/readyz')).status).toBe(200)
    expect(server.logged.filter((line) => line.includes('request failed'))).toEqual([])
  })
})

describe('200 connections with what no client sends', () => {
  it(`are answered with problems or not at all (seed ${seed})`, async () => {
    const { faults, statuses } = await fuzzWire(server, server.keys.alice, createRandom(seed), { connections: 200, atOnce: 8 })
    expect(faults.slice(0, 5)).toEqual([])
    for (const status of [200, 400, 401, 404]) expect(statuses.get(status) ?? 0, `${status}`).toBeGreaterThan(0)
    expect((await server.request('GET', '/readyz')).status).toBe(200)
    expect(server.logged.filter((line) => line.includes('request failed'))).toEqual([])
  })
})
