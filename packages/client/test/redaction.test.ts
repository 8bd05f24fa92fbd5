import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { createFlowpost, explain } from '../src/index.ts'
import { text } from './support/hostile-server.ts'
import { project } from './support/resources.ts'
import { failureOf, secretKey, start } from './support/setup.ts'

const jwt = 'eyJhbGciOi.eyJzdWIi.c2ln'
const baseUrl = 'https://flowpost.example.com'

/** Returns the error of a call whose `fetch` rejects with `thrown`. */
const failureAfter = (thrown: unknown, apiKey = jwt) =>
  failureOf(createFlowpost({ baseUrl, apiKey, maxRetries: 0, fetch: () => Promise.reject(thrown) }).projects.get(project.id))

/** Returns an error in every form in which a program may show it. */
const shown = (error: Error): string =>
  [inspect(error, { depth: 20, showHidden: true }), String(error), error.stack, JSON.stringify(error), explain(error)].join('\n')

describe('the credential', () => {
  it('is redacted in the request id and in the cause, whose name, code and causes remain', async () => {
    const thrown = Object.assign(new TypeError('fetch failed', { cause: new Error(`no header Bearer ${jwt}`) }), { code: 'EHEADER' })
    const error = await failureOf(
      createFlowpost({ baseUrl, apiKey: jwt, maxRetries: 0, fetch: () => Promise.reject(thrown) }).projects.get(project.id),
    )
    expect(error.message).toBe('projects.get: the connection failed: no header Bearer [redacted]')
    expect(error.cause).toMatchObject({
      name: 'TypeError',
      message: 'fetch failed',
      code: 'EHEADER',
      cause: { message: expect.any(String) },
    })
    expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(jwt)
    expect(thrown.cause).toMatchObject({ message: `no header Bearer ${jwt}` })

    const echo = async () => Response.json(project, { headers: { 'x-request-id': `for ${jwt}` } })
    const answered = await createFlowpost({ baseUrl, apiKey: jwt, fetch: echo }).projects.get(project.id).withResponse()
    expect(answered.requestId).toBe('for [redacted]')
  })

  it.each(['a', 'message'])('changes no error if it is as short as %j', async (apiKey) => {
    const thrown = new TypeError('fetch failed', { cause: new Error('a message') })
    const error = await failureAfter(thrown, apiKey)
    expect(error.message).toBe('projects.get: the connection failed: a message')
    expect(error.cause).toBe(thrown)
  })

  it('is redacted if it has eight characters, or looks like an API key', async () => {
    for (const apiKey of ['messages', 'fp_x'])
      expect((await failureAfter(new Error(`no ${apiKey}`), apiKey)).message).toBe('projects.get: the connection failed: no [redacted]')
  })

  it('leaves a cause without a secret unchanged', async () => {
    const thrown = new RangeError('no route', { cause: new Error('down') })
    const flowpost = createFlowpost({ baseUrl, apiKey: jwt, maxRetries: 0, fetch: () => Promise.reject(thrown) })
    expect((await failureOf(flowpost.projects.get(project.id))).cause).toBe(thrown)
  })

  it('is redacted in a problem and in other JSON, even when it is escaped', async () => {
    await using at = await start({ maxRetries: 0 })
    const escaped = [...secretKey].map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')
    const detail = `"detail": "No such key: ${escaped}"`
    at.server.next(text(401, `{"code": "unauthenticated", ${detail}}`), text(502, `{${detail}}`), text(200, `[{${detail}}]`))
    expect((await failureOf(at.flowpost.projects.get(project.id))).message).toContain('No such key: [redacted]')
    for (const _ of [502, 200])
      expect((await failureOf(at.flowpost.projects.get(project.id))).snippet).toContain('{"detail":"No such key: [redacted]"}')
  })

  it.each([
    ['a field name', { [jwt]: 1 }],
    ['a nested object', { config: { headers: { Authorization: `Bearer ${jwt}` } } }],
    ['a list', { rawHeaders: ['authorization', jwt] }],
    ['the errors of an AggregateError', new AggregateError([new Error(jwt)], 'all failed')],
    ['a hidden field', Object.defineProperty(new Error('no'), 'token', { value: jwt })],
    ['a symbol field', Object.assign(new Error('no'), { [Symbol('token')]: jwt })],
    ['a request', { request: new Request(baseUrl, { headers: { authorization: `Bearer ${jwt}` } }) }],
    ['headers', new Headers({ authorization: `Bearer ${jwt}` })],
    ['a DOMException', new DOMException(`bad header ${jwt}`, 'DataError')],
  ])('is redacted in %s of a cause', async (_, details) => {
    const thrown = details instanceof Error ? details : Object.assign(new TypeError('fetch failed'), { details })
    const error = await failureAfter(thrown)
    expect(error.code).toBe('connection_failed')
    expect(shown(error)).not.toContain(jwt)
    expect((error.cause as Error).name).toBe(thrown.name)
  })

  it('is redacted in causes that refer to each other', async () => {
    const first: Error & { request?: object } = new Error(`first ${jwt}`)
    const second = new Error('second', { cause: first })
    first.cause = second
    first.request = { error: first }
    const error = await failureAfter(first)
    expect(error.message).toBe('projects.get: the connection failed: second')
    expect(shown(error)).not.toContain(jwt)
    const { cause } = error as { cause: Error }
    expect(cause.message).toBe('first [redacted]')
    expect((cause.cause as Error).cause).toBe(cause)
  })

  it.each([
    ['a getter that throws', Object.defineProperty(new Error('no'), 'token', { get: () => expect.unreachable(), enumerable: true })],
    ['a very long chain of causes', Array.from({ length: 100_000 }).reduce((cause) => new Error('no', { cause }), new Error(jwt))],
  ])("does not replace the call's error when the cause cannot be read because of %s", async (_, thrown) => {
    const error = await failureAfter(thrown)
    expect(error.code).toBe('connection_failed')
    expect(error.cause).toBe('[redacted]')
  })

  it('is redacted in the field names and in unknown fields of a problem', async () => {
    await using at = await start()
    const issue = { in: 'body', pointer: '/name', code: 'too_long', message: 'no', [secretKey]: 1, seen: [{ [`x-${jwt}`]: secretKey }] }
    at.server.next(text(422, JSON.stringify({ code: 'validation_failed', errors: [issue] })))
    const error = await failureOf(at.client({ apiKey: jwt }).projects.create({ name: 'a' }))
    expect(error.errors).toEqual([
      { in: 'body', pointer: '/name', code: 'too_long', message: 'no', '[redacted]': 1, seen: [{ 'x-[redacted]': '[redacted]' }] },
    ])
    expect(shown(error)).not.toContain(secretKey)
    expect(shown(error)).not.toContain(jwt)
  })
})

describe('a value that is not an error', () => {
  it.each([
    ['undefined', undefined, 'undefined'],
    ['null', null, 'null'],
    ['text', 'offline', 'offline'],
    ['a symbol', Symbol('offline'), 'Symbol(offline)'],
    ['an object', { message: 'offline' }, 'offline'],
    ['an object without a prototype', Object.create(null), '[object Object]'],
    [
      'an error with a code and no message',
      new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }) }),
      'ECONNREFUSED',
    ],
  ])('is described when fetch throws %s', async (_, thrown, description) => {
    const error = await failureAfter(thrown)
    expect(error).toMatchObject({ code: 'connection_failed', status: undefined })
    expect(error.message).toBe(`projects.get: the connection failed: ${description}`)
  })
})
