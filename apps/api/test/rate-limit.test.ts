import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createKey } from './support/api-keys.ts'
import { startTestServer, type TestResponse, type TestServer } from './support/test-server.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterEach(() => vi.useRealTimers())

const path = '/v1/settings/projects'

const limitHeadersOf = ({ headers }: TestResponse) => [
  headers.get('ratelimit-policy'),
  headers.get('ratelimit'),
  headers.get('retry-after'),
]

const unknownKey = () => `fp_${randomBytes(24).toString('base64url')}`

describe('rate limit per credential', () => {
  it('is in the headers of every response, and returns 429 above the limit until the window ends', async () => {
    await using server = await startTestServer({ env: { FLOWPOST_RATE_LIMIT: '3/10' } })
    const first = await server.request('GET', path)
    vi.advanceTimersByTime(2_500)
    const second = await server.request('POST', path, { json: {} })
    const third = await server.request('GET', `${path}/prj_x`)
    const fourth = await server.request('GET', path)
    const fifth = await server.request('GET', path)

    expect([first, second, third, fourth, fifth].map(({ status }) => status)).toEqual([200, 422, 404, 429, 429])
    expect(limitHeadersOf(first)).toEqual(['"credential";q=3;w=10', '"credential";r=2;t=10', null])
    expect(limitHeadersOf(second)).toEqual(['"credential";q=3;w=10', '"credential";r=1;t=8', null])
    expect(limitHeadersOf(third)).toEqual(['"credential";q=3;w=10', '"credential";r=0;t=8', null])
    expect(limitHeadersOf(fourth)).toEqual(['"credential";q=3;w=10', '"credential";r=0;t=8', '8'])
    expect(fourth.json).toMatchObject({ code: 'rate_limited', status: 429 })
    vi.advanceTimersByTime(7_501)
    expect((await server.request('GET', path)).status).toBe(200)
  })

  it('is shared by a bootstrap key and all keys created with it', async () => {
    await using server = await startTestServer({ env: { FLOWPOST_RATE_LIMIT: '5/60' } })
    const child = await createKey(server)
    const sibling = await createKey(server)
    const grandchild = await createKey(server, {}, child.key)
    const greatGrandchild = await createKey(server, {}, grandchild.key)
    const statuses: number[] = []
    for (const { key } of [greatGrandchild, child, sibling, grandchild]) statuses.push((await server.request('GET', path, { key })).status)

    expect(statuses).toEqual([200, 429, 429, 429])
    expect((await server.request('GET', path)).status).toBe(429)
    expect((await server.request('GET', path, { key: server.keys.bob })).status).toBe(200)
  })

  it('counts requests without the required scope', async () => {
    await using server = await startTestServer({ env: { FLOWPOST_RATE_LIMIT: '3/60' } })
    const { key } = await createKey(server, { scopes: ['notifications:read'] })
    const responses = [await server.request('GET', path, { key }), await server.request('GET', path, { key })]

    expect(responses.map(({ status }) => status)).toEqual([403, 403])
    expect((await server.request('GET', path, { key })).status).toBe(429)
  })

  it('is 6,000 requests per minute by default and can be turned off', async () => {
    await using server = await startTestServer()
    await using unlimited = await startTestServer({ env: { FLOWPOST_RATE_LIMIT: 'off' } })

    expect(limitHeadersOf(await server.request('GET', path))).toEqual(['"credential";q=6000;w=60', '"credential";r=5999;t=60', null])
    expect(limitHeadersOf(await unlimited.request('GET', path))).toEqual([null, null, null])
  })

  it('does not apply to the probes', async () => {
    await using server = await startTestServer({ env: { FLOWPOST_RATE_LIMIT: '1/60' } })
    const responses = await Promise.all([1, 2, 3].map(() => server.request('GET', '/livez')))

    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200])
  })
})

describe('limit on failed authentication', () => {
  it('returns 429 after 60 failures per minute from one address, even with the rate limit off', async () => {
    await using server = await startTestServer({ env: { FLOWPOST_RATE_LIMIT: 'off' } })
    const unused = await createKey(server)
    const statuses: number[] = []
    for (let count = 0; count < 62; count += 1) statuses.push((await server.request('GET', path, { key: unknownKey() })).status)
    const throttled = await server.request('GET', path, { key: unused.key })

    expect(statuses).toEqual([...Array.from({ length: 60 }, () => 401), 429, 429])
    // The limit does not apply to a key that was accepted before.
    expect((await server.request('GET', path)).status).toBe(200)
    // After 60 failures, the server verifies only one unused key per second. In this second, that was the 61st invalid key.
    expect(throttled.status).toBe(429)
    expect(limitHeadersOf(throttled)).toEqual(['"verification";q=1;w=1', '"verification";r=0;t=1', '1'])
    // When a rejected key is sent again, it is verified.
    expect((await server.request('GET', path, { key: unused.key })).status).toBe(200)
    expect((await server.request('GET', path, { key: unused.key })).status).toBe(200)
  })

  it('accepts an unused key while the address has verifications left', async () => {
    await using server = await startTestServer()
    const unused = await createKey(server)
    for (let count = 0; count < 60; count += 1) await server.request('GET', path, { key: unknownKey() })

    expect((await server.request('GET', path, { key: unused.key })).status).toBe(200)
  })

  it('does not verify an invalid key again within the window', async () => {
    await using server = await startTestServer()
    const invalid = unknownKey()
    for (let count = 0; count < 60; count += 1) await server.request('GET', path, { key: invalid })
    const rejected = await server.request('GET', path, { key: invalid })

    expect(rejected.status).toBe(429)
    expect(limitHeadersOf(rejected)).toEqual(['"failed-authentication";q=60;w=60', '"failed-authentication";r=0;t=60', '60'])
    vi.advanceTimersByTime(60_001)
    expect((await server.request('GET', path, { key: invalid })).status).toBe(401)
  })

  it('does not count requests without a credential', async () => {
    await using server = await startTestServer()
    for (let count = 0; count < 70; count += 1) expect((await server.request('GET', path, { key: null })).status).toBe(401)

    expect((await server.request('GET', path, { key: unknownKey() })).status).toBe(401)
  })

  it('applies to the outbox', async () => {
    await using server = await startTestServer({ env: { NODE_ENV: 'production', FLOWPOST_OUTBOX: 'on' } })
    const open = (key: string) =>
      server.request('GET', '/outbox/', { key: null, headers: { Authorization: `Basic ${Buffer.from(`:${key}`).toString('base64')}` } })
    const statuses: number[] = []
    for (let count = 0; count < 62; count += 1) statuses.push((await open(unknownKey())).status)

    expect(statuses).toEqual([...Array.from({ length: 60 }, () => 401), 429, 429])
    expect((await open(server.keys.alice)).status).toBe(429)
    expect((await open(server.keys.alice)).status).toBe(200)
  })
})

describe('client address of failed authentication', () => {
  /** Sends 61 invalid keys and returns the status of the last response: 429 if all of them count for one address. */
  const failFrom = async (server: TestServer, forwarded: (count: number) => string) => {
    const statuses: number[] = []
    for (let count = 0; count < 61; count += 1)
      statuses.push((await server.request('GET', path, { key: unknownKey(), headers: { 'X-Forwarded-For': forwarded(count) } })).status)
    return statuses.at(-1)
  }

  it('is the address of the connection regardless of X-Forwarded-For by default', async () => {
    await using server = await startTestServer()

    expect(await failFrom(server, (count) => `203.0.113.${count}`)).toBe(429)
  })

  it.each(['1', 'loopback', '127.0.0.0/8'])('is the address that the proxy reports with FLOWPOST_TRUST_PROXY=%s', async (value) => {
    await using server = await startTestServer({ env: { FLOWPOST_TRUST_PROXY: value } })

    expect(await failFrom(server, (count) => `203.0.113.${count}`)).toBe(401)
    // The proxy appends the address that it sees. Addresses before it come from the client and are ignored.
    expect(await failFrom(server, (count) => `198.51.100.${count}, 203.0.113.200`)).toBe(429)
  })

  it('is the /64 network of an IPv6 address', async () => {
    await using server = await startTestServer({ env: { FLOWPOST_TRUST_PROXY: 'loopback' } })

    expect(await failFrom(server, (count) => `2001:db8:0:1::${count}`)).toBe(429)
    expect(await failFrom(server, (count) => `2001:db8:1:${count}::1`)).toBe(401)
  })

  it('is the address of the connection when the proxy is not trusted', async () => {
    await using server = await startTestServer({ env: { FLOWPOST_TRUST_PROXY: '10.0.0.0/8' } })

    expect(await failFrom(server, (count) => `203.0.113.${count}`)).toBe(429)
  })
})
