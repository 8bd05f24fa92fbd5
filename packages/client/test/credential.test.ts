import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { createFlowpost, explain } from '../src/index.ts'
import { json, problem, reset, text } from './support/hostile-server.ts'
import { project } from './support/resources.ts'
import { failureOf, secretKey, start } from './support/setup.ts'

const jwt = 'eyJhbGciOi.eyJzdWIi.c2ln'
const baseUrl = 'https://flowpost.example.com'

describe('the credential', () => {
  it('calls the credential function before every attempt', async () => {
    let count = 0
    await using at = await start({ apiKey: async () => `token_${++count}` })
    at.server.next(problem(503, 'unavailable'), json(200, project))
    const call = at.flowpost.projects.get(project.id)
    await at.clock.elapse(250)
    await call
    expect(at.server.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer token_1', 'Bearer token_2'])
  })

  it.each([
    ['throws', () => Promise.reject(new Error('The vault is sealed.'))],
    ['returns no token', () => ''],
    ['returns a token with a line break', () => 'token\n'],
    ['returns undefined', () => undefined as unknown as string],
    ['returns null', async () => null as unknown as string],
    ['returns a number', () => 42 as unknown as string],
  ])('fails the call without a request when the function %s', async (_, apiKey) => {
    await using at = await start({ apiKey })
    const error = await failureOf(at.flowpost.projects.get(project.id))
    expect(error.code).toBe('credential_failed')
    expect(error.attempts).toHaveLength(1)
    expect(at.server.requests).toHaveLength(0)
  })

  it('fails the call at the deadline when the function never resolves', async () => {
    await using at = await start({ apiKey: () => new Promise(() => {}), attemptTimeout: 600_000 })
    const failure = failureOf(at.flowpost.projects.get(project.id))
    await at.clock.elapse(60_000)
    expect(await failure).toMatchObject({ code: 'timeout' })
  })

  it('is not sent when it arrives after an abort, even by a fetch that ignores its signal', async () => {
    const token = Promise.withResolvers<string>()
    let requests = 0
    const fetch = async () => {
      requests += 1
      return Response.json(project)
    }
    await using at = await start({ apiKey: () => token.promise, fetch })
    const controller = new AbortController()
    const call = at.flowpost.projects.get(project.id, { signal: controller.signal })
    controller.abort('enough')
    await expect(call).rejects.toBe('enough')
    token.resolve('late')
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(requests).toBe(0)
  })

  it('is redacted in the request id and in the cause, which keeps its name, its code and its causes', async () => {
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

  it('leaves a cause without a secret unchanged', async () => {
    const thrown = new RangeError('no route', { cause: new Error('down') })
    const flowpost = createFlowpost({ baseUrl, apiKey: jwt, maxRetries: 0, fetch: () => Promise.reject(thrown) })
    expect((await failureOf(flowpost.projects.get(project.id))).cause).toBe(thrown)
  })

  it('is redacted in a problem and in other JSON, also when it is escaped', async () => {
    await using at = await start({ maxRetries: 0 })
    const escaped = [...secretKey].map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')
    const detail = `"detail": "No such key: ${escaped}"`
    at.server.next(text(401, `{"code": "unauthenticated", ${detail}}`), text(502, `{${detail}}`), text(200, `[{${detail}}]`))
    expect((await failureOf(at.flowpost.projects.get(project.id))).message).toContain('No such key: [redacted]')
    for (const _ of [502, 200])
      expect((await failureOf(at.flowpost.projects.get(project.id))).snippet).toContain('{"detail":"No such key: [redacted]"}')
  })

  it.each([
    ['a problem', problem(401, 'unauthenticated', {}, { detail: `No such key: ${secretKey}` })],
    ['an HTML page of a proxy', text(502, `<pre>authorization: Bearer ${secretKey}</pre>`)],
    ['a malformed success', text(200, `<pre>authorization: Bearer ${secretKey}</pre>`)],
    ['a reset', reset],
  ])('appears nowhere in errors, logs and events: %s', async (_, behavior) => {
    const lines: string[] = []
    const logger = { debug: (line: string) => lines.push(line), warn: (line: string) => lines.push(line) }
    const events: unknown[] = []
    const hooks = { onRequest: (event: object) => events.push(event), onResult: (event: object) => events.push(event) }
    await using at = await start({ maxRetries: 0, logger, hooks })
    at.server.next(behavior)
    const error = await failureOf(at.flowpost.projects.get(project.id))
    const shown = [error, error.stack, JSON.stringify(error), explain(error), at.flowpost, lines, events].map((value) =>
      inspect(value, { depth: 20, showHidden: true }),
    )
    expect(shown.join('\n')).not.toContain(secretKey)
    expect(lines).toHaveLength(1)
    expect(events).toHaveLength(2)
  })
})
