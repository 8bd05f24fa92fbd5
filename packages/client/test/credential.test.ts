import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { explain } from '../src/index.ts'
import { json, problem, reset, text } from './support/hostile-server.ts'
import { project } from './support/resources.ts'
import { failureOf, secretKey, start } from './support/setup.ts'

describe('the credential', () => {
  it('is requested from the credential function before every attempt', async () => {
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
    ['returns 0', () => 0 as unknown as string],
    ['returns false', () => false as unknown as string],
    ['returns an object', () => ({ toString: () => secretKey }) as unknown as string],
    ['returns an array', async () => [secretKey] as unknown as string],
    ['returns a function', () => (() => secretKey) as unknown as string],
    ['returns a symbol', () => Symbol('key') as unknown as string],
    ['throws undefined', () => Promise.reject()],
    ['throws null', () => Promise.reject(null)],
    ['throws text', () => Promise.reject('sealed')],
    ['throws a symbol', () => Promise.reject(Symbol('sealed'))],
    ['throws an object without a prototype', () => Promise.reject(Object.create(null))],
  ])('fails the call without a request when the function %s', async (_, apiKey) => {
    await using at = await start({ apiKey })
    const error = await failureOf(at.flowpost.projects.get(project.id))
    expect(error.code).toBe('credential_failed')
    expect(error.message).toMatch(/^projects\.get: apiKey returned no valid token: ./)
    expect(error.attempts).toHaveLength(1)
    expect(at.server.requests).toHaveLength(0)
    expect(at.clock.pending()).toBe(0)
  })

  it('fails the call at the deadline when the function never resolves', async () => {
    await using at = await start({ apiKey: () => new Promise(() => {}), attemptTimeout: 600_000 })
    const failure = failureOf(at.flowpost.projects.get(project.id))
    await at.clock.elapse(60_000)
    expect(await failure).toMatchObject({ code: 'timeout' })
  })

  it('is not sent when it arrives after an abort, even if fetch ignores its signal', async () => {
    let resolveToken = (_token: string) => {}
    const token = new Promise<string>((resolve) => {
      resolveToken = resolve
    })
    let requests = 0
    const fetch = async () => {
      requests += 1
      return Response.json(project)
    }
    await using at = await start({ apiKey: () => token, fetch })
    const controller = new AbortController()
    const call = at.flowpost.projects.get(project.id, { signal: controller.signal })
    controller.abort('enough')
    await expect(call).rejects.toBe('enough')
    resolveToken('late')
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(requests).toBe(0)
  })

  it.each([
    ['a problem', problem(401, 'unauthenticated', {}, { detail: `No such key: ${secretKey}` })],
    ['an HTML page from a proxy', text(502, `<pre>authorization: Bearer ${secretKey}</pre>`)],
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
