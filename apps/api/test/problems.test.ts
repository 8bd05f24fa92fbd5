import { type ProblemCode, problems } from '@flowpost/contract'
import { builtInProviders, defineProvider } from '@flowpost/delivery'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createKey } from './support/api-keys.ts'
import { expectProblem } from './support/expect-problem.ts'
import { addFlow, createFlow, readCompleted, send } from './support/resources.ts'
import { startTestServer, type TestResponse, type TestServer } from './support/test-server.ts'

/** A provider with a bug. Clients must not receive its error message. */
const faulty = defineProvider({
  id: 'faulty',
  kind: 'chat',
  limits: {},
  parseTarget: () => {
    throw new TypeError('select password from users where token = hush-hush')
  },
  settings: z.strictObject({}),
  secrets: z.strictObject({}),
  compose: ({ content, target }) => ({ headers: [], text: content.text, raw: content.text, envelope: { to: target } }),
  send: async () => ({ providerMessageId: null, response: 'ok' }),
  check: async () => [],
})

let server: TestServer
/** A server with a queue limit of 1 and a provider that cannot be reached. */
let limited: TestServer

beforeAll(async () => {
  server = await startTestServer({ providers: [...builtInProviders, faulty] })
  limited = await startTestServer({
    env: {
      FLOWPOST_CAPTURE: 'off',
      FLOWPOST_QUEUE_LIMIT: '1',
      FLOWPOST_SMTP_URL: 'smtp://127.0.0.1:1',
      FLOWPOST_EMAIL_FROM: 'noreply@example.com',
    },
  })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await limited[Symbol.asyncDispose]()
})

const projects = '/v1/settings/projects'
const notification = (projectId: string, fields: object = {}) =>
  server.request('POST', '/v1/notifications', { json: { project_id: projectId, subject: 'a', message: 'b', ...fields } })

/** A scenario for each problem. A problem that needs a more complex scenario names its test file instead. */
const scenarios: Record<ProblemCode, (() => Promise<TestResponse>) | `${string}.test.ts`> = {
  invalid_json: () => server.request('POST', projects, { body: '{"name": ', headers: { 'Content-Type': 'application/json' } }),
  malformed_header: async () => {
    const { project } = await createFlow(server)
    return server.request('DELETE', `${projects}/${project.id}`, { headers: { 'If-Match': 'not quoted' } })
  },
  invalid_cursor: () => server.request('GET', `${projects}?cursor=nonsense`),
  unauthenticated: () => server.request('GET', projects, { key: null }),
  scope_missing: async () => {
    const { key } = await createKey(server, { scopes: ['notifications:read'] })
    return server.request('GET', projects, { key })
  },
  not_found: () => server.request('GET', `${projects}/prj_01jdv3k2m8f6wbn0q4z5t7x9ya`),
  method_not_allowed: () => server.request('PATCH', projects, { json: {} }),
  project_name_taken: async () => {
    await server.request('POST', projects, { json: { name: 'taken' } })
    return server.request('POST', projects, { json: { name: 'taken' } })
  },
  key_taken: async () => {
    await server.request('POST', projects, { json: { name: 'first', key: 'taken' } })
    return server.request('POST', projects, { json: { name: 'second', key: 'taken' } })
  },
  no_active_flows: async () => {
    const { project } = await createFlow(server, { active: false })
    return notification(project.id)
  },
  flow_inactive: async () => {
    const { project, flow } = await createFlow(server, { active: false })
    return notification(project.id, { flow_id: flow.id })
  },
  integration_missing: async () => {
    const { project } = await createFlow(limited, { source_type: 'slack', target: 'C024BE91L' })
    return limited.request('POST', '/v1/notifications', { json: { project_id: project.id, subject: 'a', message: 'b' } })
  },
  encryption_not_configured: 'integrations-encryption.test.ts',
  settings_too_large: 'settings-apply.test.ts',
  not_retryable: async () => {
    const { project } = await createFlow(server)
    const { id } = await readCompleted(server, (await send(server, project.id)).id)
    return server.request('POST', `/v1/notifications/${id}/retry`)
  },
  delivery_not_attempted: 'receipts.test.ts',
  inbound_not_supported: 'receipts.test.ts',
  report_rejected: 'inbound-mailgun.test.ts',
  idempotency_not_replayable: async () => {
    const request = { json: { name: 'ci' }, headers: { 'Idempotency-Key': 'a-secret' } }
    await server.request('POST', '/v1/settings/api-keys', request)
    return server.request('POST', '/v1/settings/api-keys', request)
  },
  too_many_event_endpoints: 'event-endpoints.test.ts',
  event_endpoint_without_url: 'event-endpoints.test.ts',
  idempotency_in_progress: 'idempotency.test.ts',
  etag_mismatch: async () => {
    const { project } = await createFlow(server)
    return server.request('DELETE', `${projects}/${project.id}`, { headers: { 'If-Match': '"stale"' } })
  },
  body_too_large: () => server.request('POST', projects, { json: { name: 'a'.repeat(1_048_577) } }),
  unsupported_media_type: () =>
    server.request('POST', projects, { body: 'name=a', headers: { 'Content-Type': 'application/x-www-form-urlencoded' } }),
  validation_failed: () => server.request('POST', projects, { json: {} }),
  override_not_allowed: async () => {
    const { project } = await createFlow(server)
    return notification(project.id, { target: 'other@example.com' })
  },
  target_unroutable: async () => {
    const { project } = await createFlow(server)
    return notification(project.id, { target: 'slack:C024BE91L' })
  },
  too_many_deliveries: async () => {
    const { project } = await createFlow(server, { override_target: true })
    for (let flows = 1; flows < 11; flows += 1) await addFlow(server, project.id, { override_target: true })
    return notification(project.id, { target: Array.from({ length: 100 }, (_, index) => `a${index}@example.com`).join(';') })
  },
  content_too_long: async () => {
    const { project } = await createFlow(server, { source_type: 'slack', target: 'C024BE91L' })
    return notification(project.id, { message: 'a'.repeat(50_000) })
  },
  idempotency_key_reused: async () => {
    const headers = { 'Idempotency-Key': 'once' }
    await server.request('POST', projects, { json: { name: 'once' }, headers })
    return server.request('POST', projects, { json: { name: 'twice' }, headers })
  },
  rate_limited: async () => {
    const guesses = Array.from({ length: 61 }, (_, index) => limited.request('GET', projects, { key: `fp_${'x'.repeat(40)}${index}` }))
    const responses = await Promise.all(guesses)
    return responses.find(({ status }) => status === 429) ?? limited.request('GET', projects, { key: 'fp_one_more' })
  },
  internal: async () => {
    const { project } = await createFlow(server)
    return server.request('POST', `${projects}/${project.id}/flows`, { json: { name: 'a', source_type: 'faulty', target: 'b' } })
  },
  unavailable: 'database-outage.test.ts',
  queue_full: async () => {
    const { project } = await createFlow(limited)
    await addFlow(limited, project.id)
    return limited.request('POST', '/v1/notifications', { json: { project_id: project.id, subject: 'a', message: 'b' } })
  },
}

describe('every problem is returned', () => {
  for (const [code, scenario] of Object.entries(scenarios) as [ProblemCode, (typeof scenarios)[ProblemCode]][]) {
    if (typeof scenario === 'string') continue
    it(`${problems[code].status} ${code}`, async () => {
      const response = await scenario()
      expectProblem(response, code)
      // No problem exposes an internal error, a statement or a path.
      expect(response.text).not.toMatch(/hush-hush|select |insert |\bat \S+:\d+|node_modules|\.ts\b|TypeError|ZodError|23505/i)
    })
  }
})

describe('a problem', () => {
  it('has the header that its status requires: WWW-Authenticate, Allow or Retry-After', async () => {
    const headersOf = async (code: ProblemCode) => {
      const scenario = scenarios[code]
      return typeof scenario === 'string' ? new Headers() : (await scenario()).headers
    }
    expect((await headersOf('unauthenticated')).get('www-authenticate')).toMatch(/^Bearer\b/)
    expect((await headersOf('scope_missing')).get('www-authenticate')).toContain('settings:read')
    expect((await headersOf('method_not_allowed')).get('allow')).toBe('POST, GET, HEAD, DELETE, OPTIONS')
    expect(Number((await headersOf('rate_limited')).get('retry-after'))).toBeGreaterThan(0)
    expect(Number((await headersOf('queue_full')).get('retry-after'))).toBeGreaterThan(0)
  })

  it('with the code internal is logged with its cause and the request id', async () => {
    const { project } = await createFlow(server)
    const response = await server.request('POST', `${projects}/${project.id}/flows`, {
      json: { name: 'a', source_type: 'faulty', target: 'b' },
    })
    const lines = server.logged.filter((line) => line.includes(response.json.request_id))
    expect(lines.join('')).toContain('hush-hush')
    expect(lines.some((line) => line.includes('"level":"error"'))).toBe(true)
  })

  it('has the code of the first check that fails, from the credential and the scope to whether the resource exists', async () => {
    const invalid = { body: '{', headers: { 'Content-Type': 'text/plain', 'If-Match': 'x' } }
    const unknown = `${projects}/prj_01jdv3k2m8f6wbn0q4z5t7x9ya`
    expectProblem(await server.request('PUT', unknown, { ...invalid, key: null }), 'unauthenticated')
    const { key } = await createKey(server, { scopes: ['settings:read'] })
    expectProblem(await server.request('PUT', unknown, { ...invalid, key }), 'scope_missing')
    expectProblem(await server.request('PUT', unknown, invalid), 'unsupported_media_type')
    expectProblem(
      await server.request('PUT', unknown, { ...invalid, headers: { 'Content-Type': 'application/json', 'If-Match': 'x' } }),
      'invalid_json',
    )
    const invalidHeader = { json: { name: 'a', x: 1 }, headers: { 'If-Match': 'x' } }
    expect(expectProblem(await server.request('PUT', `${unknown}?a=b`, invalidHeader), 'malformed_header')).toEqual([
      'header /if-match invalid_value',
    ])
    expect(expectProblem(await server.request('PUT', `${unknown}?a=b`, { json: { name: 'a', x: 1 } }), 'validation_failed')).toEqual([
      'query /a unknown_field',
      'body /x unknown_field',
    ])
    expectProblem(await server.request('PUT', unknown, { json: { name: 'a' } }), 'not_found')
  })
})
