import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestResponse, type TestServer } from './support/test-server.ts'

const app = 'https://app.example.com'
const path = '/v1/settings/projects'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ env: { FLOWPOST_CORS_ORIGINS: `${app},http://localhost:5173`, FLOWPOST_RATE_LIMIT: '1000/60' } })
})
afterAll(() => server[Symbol.asyncDispose]())

const corsHeaders = ({ headers }: TestResponse) =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-') || name === 'vary'))

const preflight = (origin: string, method = 'POST', at = path) =>
  server.request('OPTIONS', at, {
    key: null,
    headers: {
      Origin: origin,
      'Access-Control-Request-Method': method,
      'Access-Control-Request-Headers': 'authorization,content-type,idempotency-key',
    },
  })

describe('a page of an origin that is listed', () => {
  it.each([app, 'http://localhost:5173'])('may ask first, without a credential: %s', async (origin) => {
    const answer = await preflight(origin)

    expect([answer.status, answer.text]).toEqual([204, ''])
    expect(corsHeaders(answer)).toEqual({
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
      'access-control-allow-headers': 'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, X-Request-Id',
      'access-control-max-age': '7200',
      vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
    })
  })

  it('may call and read the headers that matter, cookies not included', async () => {
    const answer = await server.request('GET', path, { headers: { Origin: app } })

    expect(answer.status).toBe(200)
    expect(corsHeaders(answer)).toEqual({
      'access-control-allow-origin': app,
      'access-control-expose-headers':
        'ETag, Location, X-Request-Id, Idempotency-Replayed, Retry-After, RateLimit, RateLimit-Policy, WWW-Authenticate',
      vary: 'Origin',
    })
  })

  it.each([
    ['401', () => server.request('GET', path, { headers: { Origin: app }, key: null }), 401],
    ['404', () => server.request('GET', '/v1/nothing', { headers: { Origin: app } }), 404],
    ['405', () => server.request('PATCH', path, { headers: { Origin: app } }), 405],
    ['422', () => server.request('POST', path, { headers: { Origin: app }, json: {} }), 422],
  ])('may read a problem: %s', async (_name, send, status) => {
    const answer = await send()

    expect(answer.status).toBe(status)
    expect(answer.headers.get('access-control-allow-origin')).toBe(app)
    expect(answer.headers.get('access-control-expose-headers')).toContain('X-Request-Id')
  })
})

describe('a page of another origin', () => {
  it.each([
    'https://evil.example.com',
    'http://app.example.com',
    'https://app.example.com:8443',
    'https://app.example.com.evil.com',
    'https://APP.example.com',
    'null',
  ])('is let nowhere, and caches keep its answers apart: %s', async (origin) => {
    const asked = await preflight(origin)
    const called = await server.request('GET', path, { headers: { Origin: origin } })

    expect(corsHeaders(asked)).toEqual({ vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers' })
    expect(corsHeaders(called)).toEqual({ vary: 'Origin' })
  })
})

describe('what is not for pages', () => {
  it('is answered as before: programs without an Origin, and OPTIONS that ask for the methods', async () => {
    const called = await server.request('GET', path)
    const options = await server.request('OPTIONS', path, { key: null, headers: { Origin: app } })

    expect(corsHeaders(called)).toEqual({ vary: 'Origin' })
    expect(options.status).toBe(204)
    expect(options.headers.get('allow')).toContain('POST')
  })

  it.each(['/livez', '/outbox/'])('stays out of reach beside the interface: %s', async (page) => {
    const answer = await server.request('GET', page, { key: null, headers: { Origin: app } })

    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
  })

  it('is everything when no origin is listed', async () => {
    await using plain = await startTestServer()
    const answer = await plain.request('GET', path, { headers: { Origin: app } })
    const asked = await plain.request('OPTIONS', path, { key: null, headers: { Origin: app, 'Access-Control-Request-Method': 'POST' } })

    expect(corsHeaders(answer)).toEqual({})
    expect(corsHeaders(asked)).toEqual({})
  })
})
