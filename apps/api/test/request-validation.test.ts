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
const json = { 'Content-Type': 'application/json' }
const post = (body: string | Uint8Array, headers: Record<string, string> = json) => server.request('POST', projects, { body, headers })

/** Sends a request as raw bytes, with the credential of `alice`. */
const raw = (line: string, headers: readonly string[] = [], ...body: RawPart[]) =>
  sendRaw(server.url, [
    `${line}\r\nHost: localhost\r\nAuthorization: Bearer ${server.keys.alice}\r\n${headers.map((header) => `${header}\r\n`).join('')}\r\n`,
    ...body,
  ])

describe('a request body', () => {
  it.each([
    ['truncated JSON', '{"name":"a"'],
    ['a blank JSON body', ' '],
    ['two JSON values', '{"name":"a"}{}'],
    ['a trailing comma', '{"name":"a",}'],
    ['single quotes', "{'name':'a'}"],
    ['NaN', '{"name":NaN}'],
    ['33 nested arrays', `${'['.repeat(33)}${']'.repeat(33)}`],
    ['10,000 nested objects', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`],
    ['a __proto__ field', '{"name":"a","__proto__":{"admin":true}}'],
    ['a nested __proto__ field', '{"name":{"__proto__":1}}'],
  ])('is rejected as invalid JSON: %s', async (_, body) => {
    const response = await post(body)
    expectProblem(response, 'invalid_json')
    expect(Object.hasOwn(Object.prototype, 'admin')).toBe(false)
  })

  it('is rejected when it has the unknown fields constructor and prototype', async () => {
    const response = await post('{"name":"a","constructor":{"prototype":{"admin":true}},"prototype":{"admin":true}}')
    expect(expectProblem(response, 'validation_failed').sort()).toEqual([
      'body /constructor unknown_field',
      'body /prototype unknown_field',
    ])
    expect(Object.hasOwn(Object.prototype, 'admin')).toBe(false)
  })

  it('is rejected when it is not UTF-8', async () => {
    for (const bytes of [[0xff], [0xc3, 0x28], [0xed, 0xa0, 0x80], [0xc0, 0xaf]])
      expectProblem(await post(Buffer.from([...Buffer.from('{"name":"'), ...bytes, ...Buffer.from('"}')])), 'invalid_json')
  })

  it.each(['[]', '"a"', '7', 'null', 'true', '[{"name":"a"}]'])('is rejected when it is not an object: %s', async (body) => {
    expect(expectProblem(await post(body), 'validation_failed')).toEqual(['body  invalid_type'])
  })

  it('is rejected when it is required and missing', async () => {
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
  ])('is rejected with the content type %s', async (type) => {
    expectProblem(await post('{"name":"a"}', { 'Content-Type': type }), 'unsupported_media_type')
  })

  it('is accepted with any spelling of the JSON content type', async () => {
    for (const [index, type] of [
      'application/json',
      'APPLICATION/JSON',
      'application/json; charset=utf-8',
      'application/json;charset="UTF-8"',
      'application/json ; profile=x',
    ].entries())
      expect((await post(`{"name":"typed ${index}"}`, { 'Content-Type': type })).status, type).toBe(201)
  })

  it('is rejected without a content type', async () => {
    const untyped = await raw(`POST ${projects} HTTP/1.1`, ['Content-Length: 12', 'Connection: close'], '{"name":"a"}')
    expect([untyped.status, JSON.parse(untyped.body).code]).toEqual([415, 'unsupported_media_type'])
  })

  it('is not required when a GET request has a content type', async () => {
    expect((await server.request('GET', projects, { headers: { 'Content-Type': 'text/plain' } })).status).toBe(200)
  })

  it('is rejected when it is compressed', async () => {
    for (const encoding of ['gzip', 'br', 'deflate', 'gzip, identity'])
      expectProblem(await post('{"name":"a"}', { ...json, 'Content-Encoding': encoding }), 'unsupported_media_type')
    expect((await post('{"name":"uncompressed"}', { ...json, 'Content-Encoding': 'identity' })).status).toBe(201)
  })

  it('is rejected above the size limit, whether the length is declared or the body is chunked', async () => {
    const bodyOf = (bytes: number) => `{"name":"${'a'.repeat(bytes - 11)}"}`
    expect(expectProblem(await post(bodyOf(65_536)), 'validation_failed')).toEqual(['body /name too_long'])
    expectProblem(await post(bodyOf(65_537)), 'body_too_large')
    const declared = await raw(`POST ${projects} HTTP/1.1`, [
      'Content-Type: application/json',
      'Content-Length: 999999999',
      'Connection: close',
    ])
    expect(declared.status).toBe(413)

    const chunk = `8000\r\n${'a'.repeat(0x8000)}\r\n`
    const headers = ['Content-Type: application/json', 'Transfer-Encoding: chunked', 'Connection: close']
    const chunked = await raw(`POST ${projects} HTTP/1.1`, headers, chunk, 20, chunk, 20, chunk, chunk, '0\r\n\r\n')
    expect([chunked.status, JSON.parse(chunked.body).code]).toEqual([413, 'body_too_large'])
    // The server responds while the client is still sending, and the client must receive the response.
    const large = await post(bodyOf(4 * 1024 * 1024))
    expectProblem(large, 'body_too_large')
  })

  it('leaves the connection usable when it is rejected', async () => {
    const next = `GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`
    for (const [type, length] of [
      ['text/plain', 1000],
      ['application/json', 70_000],
    ] as const) {
      const responses = await raw(
        `POST ${projects} HTTP/1.1`,
        [`Content-Type: ${type}`, `Content-Length: ${length}`],
        'a'.repeat(length),
        next,
      )
      expect(responses.text.match(/HTTP\/1\.1 \d{3}/g)).toEqual([expect.stringMatching(/ 41[35]$/), 'HTTP/1.1 200'])
    }
  })

  it('must be empty for an operation without a body, so that no field is ignored silently', async () => {
    const { project, flow } = await createFlow(server)
    const path = `${projects}/${project.id}/flows/${flow.id}/check`
    expect(expectProblem(await server.request('POST', path, { json: { target: 'other@example.com' } }), 'validation_failed')).toEqual([
      'body  unknown_field',
    ])
    for (const body of ['{}', ' { } ', '']) expect((await server.request('POST', path, { body, headers: json })).status).toBe(200)
  })

  it('is ignored for GET and DELETE', async () => {
    const { project } = await createFlow(server)
    const headers = ['Content-Length: 5', 'Connection: close']
    expect((await raw(`GET ${projects}/${project.id} HTTP/1.1`, headers, '[[[[[')).status).toBe(200)
    expect((await raw(`DELETE ${projects}/${project.id} HTTP/1.1`, headers, '[[[[[')).status).toBe(204)
  })
})

describe('thousands of invalid texts in a field with a long name', () => {
  const invalid = { ['k'.repeat(20_000)]: Array(4_500).fill('\u0000') }

  it('result in a short response', async () => {
    const response = await server.request('POST', projects, { json: invalid })
    expect(expectProblem(response, 'validation_failed')).toEqual(['body  invalid_text', 'body /name required'])
    expect(response.text.length).toBeLessThan(1_000)
  })

  it('result in a short response for a batch', async () => {
    const response = await server.request('POST', '/v1/notifications/batch', { json: { notifications: [invalid] } })
    expect(response.json.results).toMatchObject([
      { status: 422, problem: { errors: { 0: { pointer: '', code: 'invalid_text' }, length: 4 } } },
    ])
    expect(response.text.length).toBeLessThan(1_000)
  })
})

describe('an unknown query parameter', () => {
  it('is rejected for every method', async () => {
    const { project, flow } = await createFlow(server)
    const projectPath = `${projects}/${project.id}`
    const requests: [string, string, object?][] = [
      ['POST', projects, { name: 'a' }],
      ['GET', projects],
      ['GET', projectPath],
      ['PUT', projectPath, { name: 'a' }],
      ['POST', `${projectPath}/flows`, { name: 'a', source_type: 'smtp', target: 'ops@example.com' }],
      ['PATCH', `${projectPath}/flows/${flow.id}`, { active: false }],
      ['DELETE', `${projectPath}/flows/${flow.id}`],
      ['POST', '/v1/notifications', { project_id: project.id, subject: 'a', message: 'b' }],
      ['POST', '/v1/notifications/preview', { project_id: project.id, subject: 'a', message: 'b' }],
    ]
    for (const [method, path, body] of requests) {
      const response = await server.request(method, `${path}?dry_run=true`, body ? { json: body } : {})
      expect(expectProblem(response, 'validation_failed'), `${method} ${path}`).toEqual(['query /dry_run unknown_field'])
    }
    expect((await server.request('GET', `${projectPath}/flows/${flow.id}`)).json).toEqual(flow)
  })

  it('is rejected when it has the name of a JavaScript object property', async () => {
    const response = await server.request('GET', `${projects}?__proto__=1&constructor=2&toString=3`)
    expect(expectProblem(response, 'validation_failed').sort()).toEqual([
      'query /__proto__ unknown_field',
      'query /constructor unknown_field',
      'query /toString unknown_field',
    ])
  })
})

describe('a request to send', () => {
  const send = '/v1/notifications'
  const dayMs = 24 * 3_600_000
  const invalid = () => ({
    send_at: new Date(Date.now() + 31 * dayMs).toISOString(),
    expires_at: '9999-12-31T23:59:59-05:00',
    target: 'smtp:nonsense;smtp:',
  })
  const issues = ['body /send_at too_big', 'body /expires_at too_big', 'body /target invalid_target', 'body /target invalid_target']

  it.each([send, `${send}/preview`])('returns the issues with its times and its target with all others: %s', async (path) => {
    const { project } = await createFlow(server)
    const post = (fields: object, query = '') =>
      server.request('POST', path + query, { json: { project_id: project.id, subject: 'a', message: 'b', ...invalid(), ...fields } })
    expect(expectProblem(await post({}), 'validation_failed')).toEqual(issues)
    expect(expectProblem(await post({ subject: '' }), 'validation_failed')).toEqual(['body /subject too_short', ...issues])
    expect(expectProblem(await post({ project: 'a' }), 'validation_failed')).toEqual(['body /project invalid_value', ...issues])
    expect(expectProblem(await post({}, '?a=b'), 'validation_failed')).toEqual(['query /a unknown_field', ...issues])
    const malformed = await post({ subject: '', send_at: 'tomorrow', expires_at: 7, target: 'a\u0000;' })
    expect(expectProblem(malformed, 'validation_failed')).toEqual([
      'body /target invalid_text',
      'body /subject too_short',
      'body /send_at invalid_value',
      'body /expires_at invalid_type',
    ])
  })

  it('returns them for an item in a batch', async () => {
    const { project } = await createFlow(server)
    const item = { project_id: project.id, message: 'b', ...invalid() }
    const { json } = await server.request('POST', `${send}/batch`, { json: { notifications: [item, { ...item, subject: 'a' }] } })
    const pointersOf = ({ problem }: { problem: { errors: { pointer: string }[] } }) => problem.errors.map(({ pointer }) => pointer)
    const pointers = ['/send_at', '/expires_at', '/target', '/target']
    expect(json.results.map(pointersOf)).toEqual([['/subject', ...pointers], pointers])
  })
})
