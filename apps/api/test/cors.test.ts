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

const preflight = (origin: string, method = 'POST', url = path) =>
  server.request('OPTIONS', url, {
    key: null,
    headers: {
      Origin: origin,
      'Access-Control-Request-Method': method,
      'Access-Control-Request-Headers': 'authorization,content-type,idempotency-key',
    },
  })

describe('a page from an allowed origin', () => {
  it.each([app, 'http://localhost:5173'])('receives the CORS headers for a preflight request without a credential: %s', async (origin) => {
    const response = await preflight(origin)

    expect([response.status, response.text]).toEqual([204, ''])
    expect(corsHeaders(response)).toEqual({
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
      'access-control-allow-headers':
        'Authorization, Content-Type, Flowpost-Settings-Digest, Idempotency-Key, If-Match, If-None-Match, X-Request-Id',
      'access-control-max-age': '7200',
      vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
    })
  })

  it('can send requests without cookies and read the exposed headers', async () => {
    const response = await server.request('GET', path, { headers: { Origin: app } })

    expect(response.status).toBe(200)
    expect(corsHeaders(response)).toEqual({
      'access-control-allow-origin': app,
      'access-control-expose-headers':
        'ETag, Location, X-Request-Id, Idempotency-Replayed, Flowpost-Settings-Changed, Retry-After, RateLimit, RateLimit-Policy, WWW-Authenticate',
      vary: 'Origin',
    })
  })

  it.each([
    ['401', () => server.request('GET', path, { headers: { Origin: app }, key: null }), 401],
    ['404', () => server.request('GET', '/v1/nothing', { headers: { Origin: app } }), 404],
    ['405', () => server.request('PATCH', path, { headers: { Origin: app } }), 405],
    ['422', () => server.request('POST', path, { headers: { Origin: app }, json: {} }), 422],
  ])('can read a response with status %s', async (_name, send, status) => {
    const response = await send()

    expect(response.status).toBe(status)
    expect(response.headers.get('access-control-allow-origin')).toBe(app)
    expect(response.headers.get('access-control-expose-headers')).toContain('X-Request-Id')
  })
})

describe('a page from another origin', () => {
  it.each([
    'https://evil.example.com',
    'http://app.example.com',
    'https://app.example.com:8443',
    'https://app.example.com.evil.com',
    'https://APP.example.com',
    'null',
  ])('receives no CORS header except Vary: %s', async (origin) => {
    const preflightResponse = await preflight(origin)
    const response = await server.request('GET', path, { headers: { Origin: origin } })

    expect(corsHeaders(preflightResponse)).toEqual({ vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers' })
    expect(corsHeaders(response)).toEqual({ vary: 'Origin' })
  })
})

describe('other requests', () => {
  it('receive no CORS header without an Origin, and the allowed methods for OPTIONS', async () => {
    const response = await server.request('GET', path)
    const options = await server.request('OPTIONS', path, { key: null, headers: { Origin: app } })

    expect(corsHeaders(response)).toEqual({ vary: 'Origin' })
    expect(options.status).toBe(204)
    expect(options.headers.get('allow')).toContain('POST')
  })

  it.each(['/livez', '/outbox/'])('receive no CORS header outside /v1: %s', async (page) => {
    const response = await server.request('GET', page, { key: null, headers: { Origin: app } })

    expect(response.headers.get('access-control-allow-origin')).toBeNull()
  })

  it('receive no CORS header when no origin is allowed', async () => {
    await using withoutCors = await startTestServer()
    const response = await withoutCors.request('GET', path, { headers: { Origin: app } })
    const preflightResponse = await withoutCors.request('OPTIONS', path, {
      key: null,
      headers: { Origin: app, 'Access-Control-Request-Method': 'POST' },
    })

    expect(corsHeaders(response)).toEqual({})
    expect(corsHeaders(preflightResponse)).toEqual({})
  })
})
