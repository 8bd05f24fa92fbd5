import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectProblem, withoutRequestId } from './support/expect-problem.ts'
import { type RawResponse, sendRaw } from './support/raw-http.ts'
import { createFlow } from './support/resources.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ env: { FLOWPOST_RATE_LIMIT: 'off' } })
})
afterAll(() => server[Symbol.asyncDispose]())

const projects = '/v1/settings/projects'
const close = 'Connection: close'
const asAlice = () => `Authorization: Bearer ${server.keys.alice}`
const raw = (...lines: string[]) => sendRaw(server.url, `${lines.join('\r\n')}\r\n\r\n`)
const get = (path: string, ...headers: string[]) => raw(`GET ${path} HTTP/1.1`, 'Host: localhost', asAlice(), close, ...headers)

const expectSecurityHeaders = (header: (name: string) => string | null | undefined) => {
  expect(header('x-content-type-options')).toBe('nosniff')
  expect(header('x-frame-options')).toBe('DENY')
  expect(header('referrer-policy')).toBe('no-referrer')
  expect(header('cache-control')).toBe('no-store')
  expect(header('content-security-policy')).toContain("default-src 'none'")
  expect(header('x-request-id')).toMatch(/^[A-Za-z0-9._:/+=@-]{1,128}$/)
  for (const name of ['x-powered-by', 'server', 'set-cookie']) expect(header(name) ?? null).toBeNull()
}

const expectRejected = (response: RawResponse, status: number, code: string) => {
  expect([response.status, response.headers.get('content-type')], response.text).toEqual([
    status,
    'application/problem+json; charset=utf-8',
  ])
  expect(JSON.parse(response.body)).toMatchObject({ status, code, request_id: response.headers.get('x-request-id') })
  expect(response.body).not.toMatch(/HPE_|parse error|node:/i)
  expectSecurityHeaders((name) => response.headers.get(name))
}

describe('a path', () => {
  it('that cannot be decoded is treated like a path with an unknown id', async () => {
    const unknown = withoutRequestId(await server.request('GET', `${projects}/prj_01jdv3k2m8f6wbn0q4z5t7x9ya`))
    for (const id of ['%', '%zz', '%E0%A4%A', '%ff', '%C3%28', 'a%']) {
      const response = await get(`${projects}/${id}`)
      expectRejected(response, 404, 'not_found')
      expect({ ...JSON.parse(response.body), request_id: undefined }).toEqual(unknown)
      expectRejected(await raw(`GET ${projects}/${id} HTTP/1.1`, 'Host: localhost', close), 401, 'unauthenticated')
      expectRejected(await raw(`PATCH ${projects}/${id} HTTP/1.1`, 'Host: localhost', close), 405, 'method_not_allowed')
    }
    expect(JSON.parse((await get(`${projects}/%ff/nothing?a`)).body).detail).toBe(`There is nothing at ${projects}/%ff/nothing.`)
    expectRejected(await get(`${projects}?%FF=1`), 422, 'validation_failed')
    expectRejected(await get('/%zz'), 404, 'not_found')
  })

  it('is not normalized to another path', async () => {
    for (const path of [
      '/v1/settings/../settings/projects',
      '/v1//settings/projects',
      '//v1/settings/projects',
      '/v1/settings%2Fprojects',
      '/./v1/settings/projects',
      `${projects}%00`,
      `${projects};x=1`,
      '/v1\\settings\\projects',
    ])
      expectRejected(await get(path), 404, 'not_found')
  })

  it('returns 404 with 8,000 characters and 400 with 20,000', async () => {
    expectRejected(await get(`${projects}/${'a'.repeat(8_000)}`), 404, 'not_found')
    expectRejected(await get(`${projects}/${'a'.repeat(20_000)}`), 400, 'malformed_header')
  })
})

describe('a query', () => {
  it('that repeats a parameter thousands of times is rejected within 90 ms of CPU time', async () => {
    const costs: number[] = []
    for (let tries = 0; tries < 3; tries += 1) {
      const before = process.threadCpuUsage()
      const answer = await server.request('GET', `${projects}?${'a&'.repeat(7_500)}`)
      const { user, system } = process.threadCpuUsage(before)
      expectProblem(answer, 'validation_failed')
      costs.push((user + system) / 1_000)
    }
    expect(Math.min(...costs)).toBeLessThan(90)
  })
})

describe('a request id', () => {
  it.each([
    'a',
    '0193a1b2-6f0e-7c3d-9a44-1f2e3d4c5b6a',
    'req_42/retry:1',
    'x'.repeat(128),
    '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  ])('is used in the response and in the log: %s', async (id) => {
    const response = await server.request('GET', '/v1/nothing', { headers: { 'X-Request-Id': id } })
    expectProblem(response, 'not_found')
    expect(response.json.request_id).toBe(id)
    await expect.poll(() => server.logged.some((line) => JSON.parse(line).request_id === id)).toBe(true)
  })

  it.each(['', 'two words', 'x'.repeat(129), '<script>', 'a"b', 'a,b', 'caf\u00e9', '{}'])(
    'is replaced when it is invalid: %j',
    async (id) => {
      const response = await server.request('GET', projects, { headers: { 'X-Request-Id': id } })
      expect(response.headers.get('x-request-id')).not.toBe(id)
      expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    },
  )

  it('is generated for each request without one', async () => {
    const ids = await Promise.all(
      Array.from({ length: 20 }, async () => (await server.request('GET', '/livez')).headers.get('x-request-id')),
    )
    expect(new Set(ids).size).toBe(20)
  })
})

describe('every response', () => {
  it("has security headers and does not expose the server's software, whatever its status", async () => {
    const [{ project }, { project: deletedProject }] = [await createFlow(server), await createFlow(server)]
    const path = `${projects}/${project.id}`
    const { headers } = await server.request('GET', path)
    const etag = headers.get('etag') ?? ''
    const responses = await Promise.all([
      server.request('GET', projects),
      server.request('POST', projects, { json: { name: 'hardened' } }),
      server.request('GET', path, { headers: { 'If-None-Match': etag } }),
      server.request('PUT', path, { json: { name: 'a' }, headers: { 'If-Match': '"x"' } }),
      server.request('GET', projects, { key: null }),
      server.request('GET', '/nothing'),
      server.request('PATCH', projects),
      server.request('OPTIONS', projects),
      server.request('HEAD', path),
      server.request('POST', projects, { body: '{', headers: { 'Content-Type': 'application/json' } }),
      server.request('POST', projects, { body: 'a', headers: { 'Content-Type': 'text/plain' } }),
      server.request('POST', projects, { json: { name: 'a'.repeat(1_100_000) } }),
      server.request('GET', `${projects}?x=1`),
      server.request('GET', '/livez'),
      server.request('GET', '/metrics'),
      server.request('DELETE', `${projects}/${deletedProject.id}`),
    ])
    expect(responses.map(({ status }) => status)).toEqual([200, 201, 304, 412, 401, 404, 405, 204, 200, 400, 415, 413, 422, 200, 200, 204])
    for (const response of responses) expectSecurityHeaders((name) => response.headers.get(name))
  })
})

describe('malformed HTTP', () => {
  const chunked = [`POST ${projects} HTTP/1.1`, 'Host: localhost', 'Content-Type: application/json', 'Transfer-Encoding: chunked']

  it.each<[string, () => string[]]>([
    ['text that is not HTTP', () => ['hello']],
    ['the HTTP/2 preface', () => ['PRI * HTTP/2.0', '', 'SM']],
    ['an unknown method', () => ['FETCH / HTTP/1.1', 'Host: localhost']],
    ['an unknown version', () => ['GET / HTTP/9.9', 'Host: localhost']],
    ['no Host header', () => ['GET /livez HTTP/1.1', close]],
    ['a space in a header name', () => ['GET / HTTP/1.1', 'Host: localhost', 'Bad Header: x']],
    ['a control character in a header', () => ['GET / HTTP/1.1', 'Host: localhost', 'X-A: a\u0001b']],
    ['headers above the size limit', () => ['GET / HTTP/1.1', 'Host: localhost', `X-A: ${'a'.repeat(20_000)}`]],
    ['two Content-Length headers', () => ['POST / HTTP/1.1', 'Host: localhost', 'Content-Length: 1', 'Content-Length: 2']],
    ['both Content-Length and chunked encoding', () => [...chunked, 'Content-Length: 5', '', '0']],
    ['a negative Content-Length', () => ['POST / HTTP/1.1', 'Host: localhost', 'Content-Length: -1']],
    ['a chunk without a size', () => [...chunked, asAlice(), '', 'zz', 'abc']],
  ])('is rejected with a problem: %s', async (_, lines) => {
    expectRejected(await raw(...lines()), 400, 'malformed_header')
    expect((await server.request('GET', '/livez')).status).toBe(200)
  })

  it('cannot smuggle in a second request', async () => {
    const response = await sendRaw(
      server.url,
      [...chunked, asAlice(), 'Content-Length: 6', '', '0', '', 'GET /livez HTTP/1.1', 'Host: localhost', '', ''].join('\r\n'),
    )
    expect(response.text.match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 400'])
  })
})

it('a request with an unknown Expect header, or with HTTP/1.0, is accepted', async () => {
  expect((await get('/livez', 'Expect: the-unexpected')).status).toBe(200)
  expect((await raw('GET /livez HTTP/1.0')).status).toBe(200)
})

describe('a client that disconnects while it sends the body', () => {
  it('is logged as an aborted request, not as a database outage', async () => {
    const headers = ['Host: localhost', asAlice(), 'Content-Type: application/json', 'Content-Length: 100', 'X-Request-Id: disconnected']
    await sendRaw(server.url, `POST ${projects} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n{"name":`, 100)
    const lines = () => server.logged.map((line) => JSON.parse(line)).filter(({ request_id }) => request_id === 'disconnected')
    await expect.poll(() => lines().length).toBeGreaterThan(0)
    expect(lines()).toEqual([expect.objectContaining({ level: 'info', msg: 'request', status: 499, aborted: true })])
  })
})
