import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { endlessBody, json, problem, startHostileServer, text } from '../support/hostile-server.ts'
import { message, project } from '../support/resources.ts'
import { failureOf, secretKey, start } from '../support/setup.ts'

describe('a response that is not from Flowpost', () => {
  it('fails with status, request id and a bounded snippet of an HTML error', async () => {
    await using at = await start({ maxRetries: 0 })
    at.server.next(text(502, `<html>${'x'.repeat(5_000)}</html>`, { 'x-request-id': 'req_1' }))
    const error = await failureOf(at.flowpost.projects.get(project.id))
    expect(error).toMatchObject({ code: 'unexpected_response', status: 502, requestId: 'req_1' })
    expect(error.snippet).toHaveLength(500)
    expect(error.snippet).toMatch(/^<html>x/)
  })

  it.each(['', '{', 'null', '"ok"', '[]'])('fails with status and request id for a 200 with the body %j', async (body) => {
    await using at = await start()
    at.server.next(text(200, body, { 'x-request-id': 'req_1' }))
    const error = await failureOf(at.flowpost.projects.get(project.id))
    expect(error).toMatchObject({ code: 'unexpected_response', status: 200, requestId: 'req_1', snippet: body })
    expect(at.server.requests).toHaveLength(1)
  })

  it('fails for an empty error body', async () => {
    await using at = await start()
    at.server.next(text(403, '', { 'x-request-id': 'req_1' }))
    expect(await failureOf(at.flowpost.projects.get(project.id))).toMatchObject({
      code: 'unexpected_response',
      status: 403,
      requestId: 'req_1',
      snippet: '',
    })
  })

  it('fails for a list page with unexpected fields', async () => {
    await using at = await start()
    at.server.next(json(200, { hello: 'world' }))
    expect(await failureOf(at.flowpost.projects.list())).toMatchObject({ code: 'unexpected_response', status: 200 })
  })

  it.each([204, 304])('fails for an unexpected %i instead of resolving to undefined', async (status) => {
    await using at = await start()
    const emptyResponse = (response: ServerResponse) => response.writeHead(status, { 'x-request-id': 'req_1' }).end()
    at.server.next(emptyResponse, emptyResponse, emptyResponse)
    for (const call of [
      () => at.flowpost.projects.get(project.id),
      () => at.flowpost.projects.list(),
      () => at.flowpost.notifications.send(message).settled(),
    ])
      expect(await failureOf(call())).toMatchObject({ code: 'unexpected_response', status, requestId: 'req_1' })
  })

  it('ignores invalid issues and uses a default message for an incomplete problem', async () => {
    await using at = await start()
    const issue = { in: 'body', pointer: '/name', code: 'too_big', message: 'Too long.' }
    at.server.next(json(422, { code: 'validation_failed', errors: [null, 'name', 7, {}, issue] }))
    const error = await failureOf(at.flowpost.projects.create({ name: 'a' }))
    expect(error.errors).toEqual([issue])
    expect(error.message).toBe('projects.create: validation_failed (422): no detail')
  })

  it('reads only the start of an endless error body', async () => {
    await using at = await start({ maxRetries: 0 })
    const closed = new Promise<void>((resolve) => at.server.next(endlessBody(502, resolve)))
    const error = await failureOf(at.flowpost.projects.get(project.id))
    expect(error).toMatchObject({ code: 'unexpected_response', status: 502 })
    expect(error.snippet).toHaveLength(500)
    await closed
  })

  it('truncates a long detail, and converts a detail that is not text to text', async () => {
    await using at = await start()
    at.server.next(problem(422, 'validation_failed', {}, { detail: 'x'.repeat(100_000) }))
    expect((await failureOf(at.flowpost.projects.create({ name: 'a' }))).message).toHaveLength(
      'projects.create: validation_failed (422): '.length + 500,
    )
    for (const detail of [{ toString: 1 }, { a: 1 }, [], 7, true]) {
      at.server.next(problem(400, 'invalid_json', {}, { detail, errors: { code: 'x' } }))
      const { code, message } = await failureOf(at.flowpost.projects.create({ name: 'a' }))
      expect(code).toBe('invalid_json')
      expect(message.length).toBeLessThan(70)
    }
  })

  it('reads a problem with the maximum number of issues', async () => {
    await using at = await start()
    const issue = { in: 'body', pointer: '/messages/999/target', code: 'too_big', message: 'Too long. '.repeat(20) }
    at.server.next(problem(422, 'validation_failed', {}, { errors: Array(1_000).fill(issue) }))
    expect((await failureOf(at.flowpost.projects.create({ name: 'a' }))).errors).toHaveLength(1_000)
  })

  it('is not treated as a problem when it is a redirect with a problem body', async () => {
    await using at = await start()
    at.server.next(problem(302, 'connection_failed'))
    expect(await failureOf(at.flowpost.projects.get(project.id))).toMatchObject({ code: 'unexpected_response', status: 302 })
    expect(at.server.requests).toHaveLength(1)
  })

  it('is reported as a redirect when a browser hides it behind status 0', async () => {
    const redirect = Object.defineProperties(new Response(), {
      status: { value: 0 },
      ok: { value: false },
      type: { value: 'opaqueredirect' },
    })
    await using at = await start({ fetch: async () => redirect })
    const { message } = await failureOf(at.flowpost.projects.get(project.id))
    expect(message).toBe('projects.get: the response (0) is a redirect, which is not followed; is the base URL right?')
  })

  it.each([
    ['/elsewhere', '/elsewhere'],
    ['https://login.example.com/start?state=hunter2#hunter2', 'https://login.example.com/start'],
    [`/${secretKey}/`, '/[redacted]/'],
  ])('does not follow a redirect, and names its target without the query: %s', async (location, target) => {
    await using at = await start()
    at.server.next(text(302, '', { location }))
    const error = await failureOf(at.flowpost.projects.create({ name: 'a' }))
    expect(error).toMatchObject({ code: 'unexpected_response', status: 302 })
    expect(error.message).toBe(
      `projects.create: the response (302) is a redirect to ${target}, which is not followed; is the base URL right?`,
    )
    expect(at.server.requests).toHaveLength(1)
  })

  // Without the option `fetch`, the client uses `redirect: 'error'`. Node's error then hides the status and the target of the
  // redirect. To get them, the client sends the request again with `redirect: 'manual'`.
  it.each([301, 302, 303, 307, 308])('names the target of a %i without the option `fetch`', async (status) => {
    await using at = await start({ fetch: undefined })
    const redirect = text(status, '', { location: 'https://login.example.com/start?state=hunter2' })
    at.server.next(redirect, redirect)
    const error = await failureOf(at.flowpost.notifications.send(message))
    expect(error).toMatchObject({ code: 'unexpected_response', status, attempts: [{ status }] })
    expect(error.message).toContain(`(${status}) is a redirect to https://login.example.com/start, which is not followed`)
    const [first, second] = at.server.requests
    expect(at.server.requests).toHaveLength(2)
    expect([second?.body, second?.headers]).toEqual([first?.body, first?.headers])
  })

  // Node handles a 421 by sending the request again, which fails without a copy of its body.
  it('reports a 421 without the option `fetch`, and does not retry', async () => {
    await using at = await start({ fetch: undefined })
    const misdirected = text(421, 'Misdirected Request')
    at.server.next(misdirected, misdirected, misdirected, misdirected)
    const error = await failureOf(at.flowpost.notifications.send(message))
    expect(error).toMatchObject({ code: 'unexpected_response', status: 421, attempts: [{ status: 421 }] })
  })

  it('uses the response if only the first request is redirected', async () => {
    await using at = await start({ fetch: undefined })
    at.server.next(text(302, '', { location: 'https://login.example.com/' }), json(200, project))
    expect(await at.flowpost.projects.get(project.id)).toEqual(project)
  })

  it('sends nothing to the origin that it redirects to', async () => {
    await using other = await startHostileServer()
    await using at = await start()
    for (const status of [301, 302, 303, 307, 308]) {
      at.server.next(text(status, '', { location: `${other.baseUrl}/v1/projects` }))
      const { message } = await failureOf(at.flowpost.projects.create({ name: 'a' }))
      expect(message).toContain(`a redirect to ${other.baseUrl}/v1/projects`)
    }
    expect(other.requests).toHaveLength(0)
  })

  it('has its status and code if a custom `fetch` returns a Node stream as the body', async () => {
    const notFound = { code: 'not_found', status: 404 }
    const response = Object.defineProperty(Response.json(notFound, { status: 404 }), 'body', { value: Readable.from([]) })
    await using at = await start({ fetch: async () => response })
    expect(await failureOf(at.flowpost.projects.get(project.id))).toMatchObject(notFound)
  })

  it('redacts an API key that a proxy echoes', async () => {
    await using at = await start({ maxRetries: 0 })
    at.server.next((response, request) => text(502, `<pre>${request.headers.authorization}</pre>`)(response, request))
    expect((await failureOf(at.flowpost.projects.get(project.id))).snippet).toBe('<pre>Bearer [redacted]</pre>')
    expect(at.server.requests[0]?.headers.authorization).toBe(`Bearer ${secretKey}`)
  })
})
