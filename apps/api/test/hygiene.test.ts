import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectProblem } from './support/expect-problem.ts'
import { type RawPart, sendRaw } from './support/raw-http.ts'
import { createFlow } from './support/resources.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ env: { FLOWPOST_RATE_LIMIT: 'off', FLOWPOST_BODY_LIMIT_BYTES: '65536' } })
})
afterAll(() => server[Symbol.asyncDispose]())

const projects = '/v1/settings/projects'
const unknown = 'prj_01jdv3k2m8f6wbn0q4z5t7x9ya'
const json = { 'Content-Type': 'application/json' }
const post = (body: string | Uint8Array, headers: Record<string, string> = json) => server.request('POST', projects, { body, headers })

/** A request as bytes, with the credential of `alice`. */
const raw = (line: string, headers: readonly string[] = [], ...body: RawPart[]) =>
  sendRaw(server.url, [
    `${line}\r\nHost: localhost\r\nAuthorization: Bearer ${server.keys.alice}\r\n${headers.map((each) => `${each}\r\n`).join('')}\r\n`,
    ...body,
  ])

describe('methods', () => {
  it.each([
    [projects, 'POST, GET, HEAD, DELETE, OPTIONS'],
    [`${projects}/${unknown}`, 'GET, HEAD, PUT, DELETE, OPTIONS'],
    [`${projects}/${unknown}/flows`, 'POST, GET, HEAD, OPTIONS'],
    [`${projects}/${unknown}/flows/flw_x`, 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS'],
    [`${projects}/${unknown}/flows/flw_x/check`, 'POST, OPTIONS'],
    ['/v1/notifications', 'POST, GET, HEAD, OPTIONS'],
    ['/livez', 'GET, HEAD, OPTIONS'],
    ['/readyz', 'GET, HEAD, OPTIONS'],
    ['/metrics', 'GET, HEAD, OPTIONS'],
    ['/openapi.json', 'GET, HEAD, OPTIONS'],
    ['/docs', 'GET, HEAD, OPTIONS'],
  ])('of %s are told by OPTIONS and by 405', async (path, allow) => {
    const options = await server.request('OPTIONS', path, { key: null })
    expect([options.status, options.headers.get('allow'), options.text]).toEqual([204, allow, ''])
    for (const method of ['PUT', 'PATCH', 'DELETE', 'POST', 'PROPFIND'].filter((each) => !allow.includes(each))) {
      const response = await server.request(method, path)
      expectProblem(response, 'method_not_allowed')
      expect(response.headers.get('allow')).toBe(allow)
    }
  })

  it('are not told of a path that is not there', async () => {
    for (const method of ['GET', 'OPTIONS', 'DELETE'])
      for (const path of ['/v1', '/v2/notifications', `${projects}/${unknown}/nothing`, '/v1/settings', '/favicon.ico'])
        expectProblem(await server.request(method, path), 'not_found')
  })

  it('serve HEAD as GET without the body', async () => {
    const { project, flow } = await createFlow(server)
    for (const path of [projects, `${projects}/${project.id}`, `${projects}/${project.id}/flows/${flow.id}`, '/livez', '/openapi.json']) {
      const [get, head] = [await server.request('GET', path), await server.request('HEAD', path)]
      expect([head.status, head.text]).toEqual([200, ''])
      for (const header of ['content-type', 'etag']) expect(head.headers.get(header), `${path} ${header}`).toBe(get.headers.get(header))
    }
    expect((await server.request('HEAD', `${projects}/${unknown}`)).status).toBe(404)
    expect((await server.request('HEAD', projects, { key: null })).status).toBe(401)
  })
})

describe('a body', () => {
  it.each([
    ['cut off', '{"name":"a"'],
    ['empty but announced as JSON', ' '],
    ['two values', '{"name":"a"}{}'],
    ['a trailing comma', '{"name":"a",}'],
    ['single quotes', "{'name':'a'}"],
    ['NaN', '{"name":NaN}'],
    ['nested 33 deep', `${'['.repeat(33)}${']'.repeat(33)}`],
    ['nested 30,000 deep', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`],
    ['with __proto__', '{"name":"a","__proto__":{"admin":true}}'],
    ['with __proto__ further in', '{"name":{"__proto__":1}}'],
    ['with constructor', '{"name":"a","constructor":{"prototype":{}}}'],
  ])('that is %s is refused', async (_, body) => {
    const response = await post(body)
    expectProblem(response, 'invalid_json')
    expect(Object.hasOwn(Object.prototype, 'admin')).toBe(false)
  })

  it('that is not UTF-8 is refused', async () => {
    for (const bytes of [[0xff], [0xc3, 0x28], [0xed, 0xa0, 0x80], [0xc0, 0xaf]])
      expectProblem(await post(Buffer.from([...Buffer.from('{"name":"'), ...bytes, ...Buffer.from('"}')])), 'invalid_json')
  })

  it.each(['[]', '"a"', '7', 'null', 'true', '[{"name":"a"}]'])('of %s is no project', async (body) => {
    expect(expectProblem(await post(body), 'validation_failed')).toEqual(['body  invalid_type'])
  })

  it('may be missing only where none is needed', async () => {
    expect(expectProblem(await server.request('POST', projects), 'validation_failed')).toEqual(['body  required'])
  })

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json; charset=latin1',
    'application/json; charset=utf-16',
    'application/jsonp',
    'text/json',
    'application/problem+json',
    'nonsense',
  ])('of type %s is refused', async (type) => {
    expectProblem(await post('{"name":"a"}', { 'Content-Type': type }), 'unsupported_media_type')
  })

  it('may spell its type as it likes', async () => {
    for (const [index, type] of [
      'application/json',
      'APPLICATION/JSON',
      'application/json; charset=utf-8',
      'application/json;charset="UTF-8"',
      'application/json ; profile=x',
    ].entries())
      expect((await post(`{"name":"typed ${index}"}`, { 'Content-Type': type })).status, type).toBe(201)
  })

  it('without a type is refused, and a type without a body is not', async () => {
    const typeless = await raw(`POST ${projects} HTTP/1.1`, ['Content-Length: 12', 'Connection: close'], '{"name":"a"}')
    expect([typeless.status, JSON.parse(typeless.body).code]).toEqual([415, 'unsupported_media_type'])
    expect((await server.request('GET', projects, { headers: { 'Content-Type': 'text/plain' } })).status).toBe(200)
  })

  it('that is compressed is refused', async () => {
    for (const encoding of ['gzip', 'br', 'deflate', 'gzip, identity'])
      expectProblem(await post('{"name":"a"}', { ...json, 'Content-Encoding': encoding }), 'unsupported_media_type')
    expect((await post('{"name":"as it is"}', { ...json, 'Content-Encoding': 'identity' })).status).toBe(201)
  })

  it('over the limit is refused, announced or in chunks, and up to it is read', async () => {
    const filled = (bytes: number) => `{"name":"${'a'.repeat(bytes - 11)}"}`
    expect(expectProblem(await post(filled(65_536)), 'validation_failed')).toEqual(['body /name too_long'])
    expectProblem(await post(filled(65_537)), 'body_too_large')
    const announced = await raw(`POST ${projects} HTTP/1.1`, [
      'Content-Type: application/json',
      'Content-Length: 999999999',
      'Connection: close',
    ])
    expect(announced.status).toBe(413)

    const chunk = `8000\r\n${'a'.repeat(0x8000)}\r\n`
    const headers = ['Content-Type: application/json', 'Transfer-Encoding: chunked', 'Connection: close']
    const chunked = await raw(`POST ${projects} HTTP/1.1`, headers, chunk, 20, chunk, 20, chunk, chunk, '0\r\n\r\n')
    expect([chunked.status, JSON.parse(chunked.body).code]).toEqual([413, 'body_too_large'])
    // The client is still sending when the answer is made, and must live to see it.
    const large = await post(filled(4 * 1024 * 1024))
    expectProblem(large, 'body_too_large')
  })

  it('leaves the connection usable for the next request, whatever was refused', async () => {
    const next = `GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`
    for (const [type, length] of [
      ['text/plain', 1000],
      ['application/json', 70_000],
    ] as const) {
      const answers = await raw(
        `POST ${projects} HTTP/1.1`,
        [`Content-Type: ${type}`, `Content-Length: ${length}`],
        'a'.repeat(length),
        next,
      )
      expect(answers.text.match(/HTTP\/1\.1 \d{3}/g)).toEqual([expect.stringMatching(/ 41[35]$/), 'HTTP/1.1 200'])
    }
  })

  it('of an operation that takes none must be empty, so that no field is dropped', async () => {
    const { project, flow } = await createFlow(server)
    const path = `${projects}/${project.id}/flows/${flow.id}/check`
    expect(expectProblem(await server.request('POST', path, { json: { target: 'other@example.com' } }), 'validation_failed')).toEqual([
      'body  unknown_field',
    ])
    for (const body of ['{}', ' { } ', '']) expect((await server.request('POST', path, { body, headers: json })).status).toBe(200)
  })

  it('of a GET or DELETE means nothing', async () => {
    const { project } = await createFlow(server)
    const headers = ['Content-Length: 5', 'Connection: close']
    expect((await raw(`GET ${projects}/${project.id} HTTP/1.1`, headers, '[[[[[')).status).toBe(200)
    expect((await raw(`DELETE ${projects}/${project.id} HTTP/1.1`, headers, '[[[[[')).status).toBe(204)
  })
})

describe('a query parameter', () => {
  it('that the operation does not have is refused, for every method', async () => {
    const { project, flow } = await createFlow(server)
    const own = `${projects}/${project.id}`
    const requests: [string, string, object?][] = [
      ['POST', projects, { name: 'a' }],
      ['GET', projects],
      ['GET', own],
      ['PUT', own, { name: 'a' }],
      ['POST', `${own}/flows`, { name: 'a', source_type: 'smtp', target: 'ops@example.com' }],
      ['PATCH', `${own}/flows/${flow.id}`, { active: false }],
      ['DELETE', `${own}/flows/${flow.id}`],
      ['POST', '/v1/notifications', { project_id: project.id, subject: 'a', message: 'b' }],
      ['POST', '/v1/notifications/preview', { project_id: project.id, subject: 'a', message: 'b' }],
    ]
    for (const [method, path, body] of requests) {
      const response = await server.request(method, `${path}?dry_run=true`, body ? { json: body } : {})
      expect(expectProblem(response, 'validation_failed'), `${method} ${path}`).toEqual(['query /dry_run unknown_field'])
    }
    expect((await server.request('GET', `${own}/flows/${flow.id}`)).json).toEqual(flow)
  })

  it('named like an object key of JavaScript is a parameter like any other', async () => {
    const response = await server.request('GET', `${projects}?__proto__=1&constructor=2&toString=3`)
    expect(expectProblem(response, 'validation_failed').sort()).toEqual([
      'query /__proto__ unknown_field',
      'query /constructor unknown_field',
      'query /toString unknown_field',
    ])
  })
})
