import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { explain } from '../src/index.ts'
import type { RouteTable } from '../src/route.ts'
import { json, problem, reset, silence } from './support/hostile-server.ts'
import { flow, message, project } from './support/resources.ts'
import { failureOf, start, startWithTable } from './support/setup.ts'

describe('a call', () => {
  it('is sent immediately, not when it is awaited', async () => {
    await using at = await start()
    at.server.next(json(201, project))
    const call = at.flowpost.projects.create({ name: 'a' })
    await at.server.received(1)
    expect(await call).toEqual(project)
  })

  it('returns the response without a second request', async () => {
    await using at = await start()
    at.server.next(json(200, project, { etag: '"v1"', 'x-request-id': 'req_1' }))
    const call = at.flowpost.projects.get(project.id)
    const { data, response, requestId } = await call.withResponse()
    expect(data).toEqual(await call)
    expect(response.headers.get('etag')).toBe('"v1"')
    expect(requestId).toBe('req_1')
    expect(at.server.requests).toHaveLength(1)
  })

  it('resolves to undefined for a response without a body', async () => {
    await using at = await start()
    at.server.next((response) => response.writeHead(204).end())
    expect(await at.flowpost.projects.delete(project.id)).toBeUndefined()
  })

  it('resolves to undefined when the resource has not changed', async () => {
    await using at = await start()
    at.server.next((response) => response.writeHead(304).end())
    expect(await at.flowpost.flows.get(project.id, flow.id, {}, { ifNoneMatch: '"v1"' })).toBeUndefined()
    expect(at.server.requests[0]?.headers['if-none-match']).toBe('"v1"')
  })

  it("sends the caller's headers, but does not let them override its own", async () => {
    await using at = await start()
    at.server.next(json(200, project))
    await at.flowpost.projects.get(project.id, { headers: { traceparent: '00-1', authorization: 'mine', 'X-Request-Id': 'req_mine' } })
    const { headers } = at.server.requests[0] ?? {}
    expect(headers).toMatchObject({ traceparent: '00-1', 'x-request-id': 'req_mine' })
    expect(headers?.authorization).toMatch(/^Bearer fp_/)
  })

  it('sends a request id with every attempt, even when there is no response', async () => {
    await using at = await start({ maxRetries: 1 })
    at.server.next(reset, silence)
    const failure = failureOf(at.flowpost.projects.get(project.id))
    await at.clock.elapse(250)
    await at.server.received(2)
    at.clock.advance(60_000)
    const { attempts, requestId } = await failure
    expect(attempts.map((attempt) => attempt.requestId)).toEqual(at.server.requests.map(({ headers }) => headers['x-request-id']))
    expect(attempts[0]?.requestId).not.toBe(attempts[1]?.requestId)
    expect(requestId).toBe(attempts[1]?.requestId)
  })

  it.each([
    { timeout: 0 },
    { timeout: '500' },
    { timeout: Number.NaN },
    { timeout: 2 ** 31 },
    { attemptTimeout: -1 },
    { attemptTimeout: '500' },
    { maxRetries: 1.5 },
    { headers: { 'a b': 'c' } },
    { timeout: Number.POSITIVE_INFINITY },
    { timeout: 1n },
    { timeout: {} },
    { maxRetries: Number.NaN },
    { signal: {} },
    { signal: 'stop' },
  ])('is rejected before any request or timer with %o', async (options) => {
    await using at = await start()
    let timers = 0
    const schedule = (...args: Parameters<typeof at.clock.schedule>) => {
      timers += Number.isFinite(args[1]) ? 0 : 1
      return at.clock.schedule(...args)
    }
    const flowpost = at.client({ clock: { ...at.clock, schedule } })
    const error = await failureOf(flowpost.projects.list({}, options as object))
    expect(error).toMatchObject({ code: 'invalid_argument', operation: 'projects.list', attempts: [] })
    expect(at.server.requests).toHaveLength(0)
    expect(timers).toBe(0)
    expect(at.clock.pending()).toBe(0)
  })

  it.each([
    'Connection',
    'content-length',
    'Expect',
    'Host',
    'keep-alive',
    'Proxy-Authenticate',
    'proxy-authorization',
    'Proxy-Connection',
    'TE',
    'Trailer',
    'Transfer-Encoding',
    'Upgrade',
  ])('is rejected before any request with the header %s', async (name) => {
    await using at = await start()
    const error = await failureOf(at.flowpost.projects.create({ name: 'a' }, { headers: { [name]: '7' } }))
    expect(error).toMatchObject({ code: 'invalid_argument', attempts: [] })
    expect(error.message).toBe(`projects.create: The header ${name.toLowerCase()} is not allowed: fetch sets it.`)
    expect(at.server.requests).toHaveLength(0)
    expect(at.clock.pending()).toBe(0)
  })

  it('is rejected before any request if the headers contain an idempotency key, with an error that names the option', async () => {
    await using at = await start()
    for (const name of ['Idempotency-Key', 'idempotency-key']) {
      const error = await failureOf(at.flowpost.projects.create({ name: 'a' }, { headers: { [name]: '7' } }))
      expect(error).toMatchObject({ code: 'invalid_argument', attempts: [] })
      expect(error.message).toBe('projects.create: The header idempotency-key is not allowed: use the option idempotencyKey.')
    }
    expect(at.server.requests).toHaveLength(0)
  })

  it('accepts headers whose names merely resemble connection headers', async () => {
    await using at = await start()
    at.server.next(json(200, project))
    const headers = { 'X-Forwarded-Host': 'a', tea: 'b', 'upgrade-insecure-requests': '1', 'x-proxy-id': 'c' }
    await at.flowpost.projects.get(project.id, { headers })
    expect(at.server.requests[0]?.headers).toMatchObject({ 'x-forwarded-host': 'a', tea: 'b', 'x-proxy-id': 'c' })
  })

  it('converts an idempotency key that is not a string to text', async () => {
    await using at = await start()
    at.server.next(json(201, project))
    await at.flowpost.projects.create({ name: 'a' }, { idempotencyKey: 42 as unknown as string })
    expect(at.server.requests[0]?.headers['idempotency-key']).toBe('42')
  })

  it('reads unconditionally with `ifNoneMatch: undefined`', async () => {
    await using at = await start()
    at.server.next(json(200, project))
    expect(await at.flowpost.projects.get(project.id, { ifNoneMatch: undefined })).toEqual(project)
    expect(at.server.requests[0]?.headers).not.toHaveProperty('if-none-match')
  })

  it.each([{ idempotencyKey: 'hunter\n2' }, { headers: { 'X-Vault': 'hunter\n2' } }, { headers: null as never }])(
    'is rejected before any request with invalid header characters, without quoting the header: %o',
    async (options) => {
      await using at = await start()
      const error = await failureOf(at.flowpost.projects.create({ name: 'a' }, options))
      expect(error).toMatchObject({ code: 'invalid_argument', attempts: [] })
      expect(error.message).toBe('projects.create: A header or idempotencyKey has invalid characters.')
      expect(`${inspect(error)}${explain(error)}`).not.toContain('hunter')
      expect(at.server.requests).toHaveLength(0)
    },
  )

  it('sends an empty idempotency key unchanged', async () => {
    await using at = await start()
    at.server.next(problem(400, 'malformed_header'))
    await failureOf(at.flowpost.projects.create({ name: 'a' }, { idempotencyKey: '' }))
    expect(at.server.requests[0]?.headers['idempotency-key']).toBe('')
  })

  it('is rejected before any request with a body that cannot be converted to JSON', async () => {
    await using at = await start()
    expect(await failureOf(at.flowpost.projects.create({ name: 1n as unknown as string }))).toMatchObject({ code: 'invalid_argument' })
    expect(at.server.requests).toHaveLength(0)
  })
})

describe('the failure of a call', () => {
  it('has the fields of the problem', async () => {
    await using at = await start()
    const errors = [{ in: 'body', pointer: '/target', code: 'invalid_target', message: 'Must be an address.' }]
    at.server.next(problem(422, 'validation_failed', { 'x-request-id': 'req_1' }, { errors }))
    const error = await failureOf(at.flowpost.notifications.send(message))
    expect(error).toMatchObject({
      name: 'FlowpostError',
      operation: 'notifications.send',
      status: 422,
      code: 'validation_failed',
      requestId: 'req_1',
      errors,
    })
    expect(error.message).toBe('notifications.send: validation_failed (422): The detail of validation_failed.')
    expect(error.attempts).toEqual([{ status: 422, delayMs: 0, requestId: 'req_1' }])
  })

  // In a child process, because the test runner would report an unhandled rejection as its own.
  it.each([
    ['is an unhandled rejection without a handler', '', 1],
    ['is handled by a handler on the data', '.catch(() => {})', 0],
    ['is handled by a handler on the response', '.withResponse().catch(() => {})', 0],
  ])('%s', async (_, tail, code) => {
    const program = `import { createFlowpost } from '${new URL('../src/index.ts', import.meta.url)}'
      createFlowpost({ baseUrl: 'http://127.0.0.1:1', apiKey: 'fp_x', maxRetries: 0 }).projects.get('prj_1')${tail}`
    const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', program])
    expect((await once(child, 'exit'))[0]).toBe(code)
  })
})

const table = {
  flows: { start: { method: 'POST', path: '/v1/settings/projects/:project_id/flows/:flow_id/start' } },
} as const satisfies RouteTable

interface Starts {
  flows: { start(projectId: string, flowId: string): Promise<unknown> }
}

describe('a POST without idempotency', () => {
  it('sends no idempotency key', async () => {
    await using at = await startWithTable<Starts>(table)
    at.server.next(json(200, { ok: true }))
    await at.client.flows.start('prj_1', 'flw_1')
    expect(at.server.requests[0]).toMatchObject({ method: 'POST', url: '/v1/settings/projects/prj_1/flows/flw_1/start', body: '' })
    expect(at.server.requests[0]?.headers).not.toHaveProperty('idempotency-key')
  })

  it.each([
    ['a reset', reset],
    ['a 500', problem(500, 'internal')],
    ['a 503', problem(503, 'unavailable')],
  ])('is not retried after %s, because the server may have processed it', async (_, behavior) => {
    await using at = await startWithTable<Starts>(table)
    at.server.next(behavior)
    await failureOf(at.client.flows.start('prj_1', 'flw_1'))
    expect(at.server.requests).toHaveLength(1)
  })

  it('is retried after a 429, because the server did not process it', async () => {
    await using at = await startWithTable<Starts>(table)
    at.server.next(problem(429, 'rate_limited'), json(200, { ok: true }))
    const call = at.client.flows.start('prj_1', 'flw_1')
    await at.clock.elapse(250)
    expect(await call).toEqual({ ok: true })
  })

  it('is retried after a reset when it has no side effects', async () => {
    await using at = await start()
    at.server.next(reset, json(200, { ok: true, checks: [] }))
    const call = at.flowpost.flows.check(project.id, flow.id)
    await at.clock.elapse(250)
    expect((await call).ok).toBe(true)
  })
})
