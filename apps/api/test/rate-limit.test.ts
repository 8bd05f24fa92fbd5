import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createKey } from './support/api-keys.ts'
import { startTestServer, type TestResponse } from './support/test-server.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterEach(() => vi.useRealTimers())

const path = '/v1/settings/projects'

const limitOf = ({ headers }: TestResponse) => [headers.get('ratelimit-policy'), headers.get('ratelimit'), headers.get('retry-after')]

const unknownKey = () => `fp_${randomBytes(24).toString('base64url')}`

describe('the rate limit of a credential', () => {
  it('is told with every answer, and refuses what is over it until the window ends', async () => {
    await using server = await startTestServer({ env: { FLOWPOST_RATE_LIMIT: '3/10' } })
    const first = await server.request('GET', path)
    vi.advanceTimersByTime(2_500)
    const second = await server.request('POST', path, { json: {} })
    const third = await server.request('GET', `${path}/prj_x`)
    const fourth = await server.request('GET', path)
    const fifth = await server.request('GET', path)

    expect([first, second, third, fourth, fifth].map(({ status }) => status)).toEqual([200, 422, 404, 429, 429])
    expect(limitOf(first)).toEqual(['"credential";q=3;w=10', '"credential";r=2;t=10', null])
    expect(limitOf(second)).toEqual(['"credential";q=3;w=10', '"credential";r=1;t=8', null])
    expect(limitOf(third)).toEqual(['"credential";q=3;w=10', '"credential";r=0;t=8', null])
    expect(limitOf(fourth)).toEqual(['"credential";q=3;w=10', '"credential";r=0;t=8', '8'])
    expect(fourth.json).toMatchObject({ code: 'rate_limited', status: 429 })
    vi.advanceTimersByTime(7_501)
    expect((await server.request('GET', path)).status).toBe(200)
  })

  it('is for each key of the operator, together with all keys that were made with it', async () => {
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

  it('counts requests that lack a scope', async () => {
    await using server = await startTestServer({ env: { FLOWPOST_RATE_LIMIT: '3/60' } })
    const { key } = await createKey(server, { scopes: ['notifications:read'] })
    const answers = [await server.request('GET', path, { key }), await server.request('GET', path, { key })]

    expect(answers.map(({ status }) => status)).toEqual([403, 403])
    expect((await server.request('GET', path, { key })).status).toBe(429)
  })

  it('is 6000 a minute by default, and can be turned off', async () => {
    await using server = await startTestServer()
    await using unlimited = await startTestServer({ env: { FLOWPOST_RATE_LIMIT: 'off' } })

    expect(limitOf(await server.request('GET', path))).toEqual(['"credential";q=6000;w=60', '"credential";r=5999;t=60', null])
    expect(limitOf(await unlimited.request('GET', path))).toEqual([null, null, null])
  })

  it('does not hold for the probes', async () => {
    await using server = await startTestServer({ env: { FLOWPOST_RATE_LIMIT: '1/60' } })
    const answers = await Promise.all([1, 2, 3].map(() => server.request('GET', '/livez')))

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  })
})

describe('the limit on failed authentication', () => {
  it('holds with the rate limit off: 60 a minute from one address, then 429 for what is not valid', async () => {
    await using server = await startTestServer({ env: { FLOWPOST_RATE_LIMIT: 'off' } })
    const fresh = await createKey(server)
    const statuses: number[] = []
    for (let count = 0; count < 62; count += 1) statuses.push((await server.request('GET', path, { key: unknownKey() })).status)
    const putOff = await server.request('GET', path, { key: fresh.key })

    expect(statuses).toEqual([...Array.from({ length: 60 }, () => 401), 429, 429])
    // A key that was good before passes at once, and one that nobody has seen yet when it is tried again.
    expect((await server.request('GET', path)).status).toBe(200)
    expect(putOff.status).toBe(429)
    expect(limitOf(putOff)).toEqual(['"verification";q=1;w=1', '"verification";r=0;t=1', '1'])
    expect((await server.request('GET', path, { key: fresh.key })).status).toBe(200)
    expect((await server.request('GET', path, { key: fresh.key })).status).toBe(200)
  })

  it('verifies a new credential at once while the address has verifications left', async () => {
    await using server = await startTestServer()
    const fresh = await createKey(server)
    for (let count = 0; count < 60; count += 1) await server.request('GET', path, { key: unknownKey() })

    expect((await server.request('GET', path, { key: fresh.key })).status).toBe(200)
  })

  it('verifies no key twice that was not valid', async () => {
    await using server = await startTestServer()
    const bad = unknownKey()
    for (let count = 0; count < 60; count += 1) await server.request('GET', path, { key: bad })
    const refused = await server.request('GET', path, { key: bad })

    expect(refused.status).toBe(429)
    expect(limitOf(refused)).toEqual(['"failed-authentication";q=60;w=60', '"failed-authentication";r=0;t=60', '60'])
    vi.advanceTimersByTime(60_001)
    expect((await server.request('GET', path, { key: bad })).status).toBe(401)
  })

  it('does not count requests without a credential', async () => {
    await using server = await startTestServer()
    for (let count = 0; count < 70; count += 1) expect((await server.request('GET', path, { key: null })).status).toBe(401)

    expect((await server.request('GET', path, { key: unknownKey() })).status).toBe(401)
  })

  it('holds for the outbox too', async () => {
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

describe('the address that failures are counted under', () => {
  const failFrom = async (server: Awaited<ReturnType<typeof startTestServer>>, forwarded: (count: number) => string) => {
    const statuses: number[] = []
    for (let count = 0; count < 61; count += 1)
      statuses.push((await server.request('GET', path, { key: unknownKey(), headers: { 'X-Forwarded-For': forwarded(count) } })).status)
    return statuses.at(-1)
  }

  it('is that of the connection, whatever X-Forwarded-For says', async () => {
    await using server = await startTestServer()

    expect(await failFrom(server, (count) => `203.0.113.${count}`)).toBe(429)
  })

  it.each(['1', 'loopback', '127.0.0.0/8'])('is what the proxy says, with FLOWPOST_TRUST_PROXY=%s', async (value) => {
    await using server = await startTestServer({ env: { FLOWPOST_TRUST_PROXY: value } })

    expect(await failFrom(server, (count) => `203.0.113.${count}`)).toBe(401)
    // What a client has written before the proxy added the address that it saw counts for nothing.
    expect(await failFrom(server, (count) => `198.51.100.${count}, 203.0.113.200`)).toBe(429)
  })

  it('is the /64 network of an IPv6 address', async () => {
    await using server = await startTestServer({ env: { FLOWPOST_TRUST_PROXY: 'loopback' } })

    expect(await failFrom(server, (count) => `2001:db8:0:1::${count}`)).toBe(429)
    expect(await failFrom(server, (count) => `2001:db8:1:${count}::1`)).toBe(401)
  })

  it('is not believed from a proxy that is not listed', async () => {
    await using server = await startTestServer({ env: { FLOWPOST_TRUST_PROXY: '10.0.0.0/8' } })

    expect(await failFrom(server, (count) => `203.0.113.${count}`)).toBe(429)
  })
})
