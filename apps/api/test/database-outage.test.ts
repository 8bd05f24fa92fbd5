import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectProblem } from './support/expect-problem.ts'
import { type PrivatePostgres, postgresBinaries, startPrivatePostgres } from './support/private-postgres.ts'
import { addFlow, createFlow, readCompleted } from './support/resources.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

const projects = '/v1/settings/projects'

describe.skipIf(postgresBinaries() === undefined)('an outage of PostgreSQL (needs the PostgreSQL binaries)', () => {
  let postgres: PrivatePostgres
  let server: TestServer

  beforeAll(async () => {
    postgres = await startPrivatePostgres()
    const database = {
      env: { DATABASE_URL: postgres.url, FLOWPOST_CAPTURE: 'missing' },
      url: postgres.url,
      dataDir: '',
      remove: async () => {},
    }
    server = await startTestServer({ database, env: { FLOWPOST_RATE_LIMIT: 'off' } })
  })
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]()
    await postgres?.[Symbol.asyncDispose]()
  })

  /** Sends requests until one succeeds. Expects 503 for every request before that one. */
  const recover = async (): Promise<void> => {
    const statuses: number[] = []
    const read = async () => {
      statuses.push((await server.request('GET', projects)).status)
      return statuses.at(-1)
    }
    await expect.poll(read, { interval: 100 }).toBe(200)
    expect(statuses.slice(0, -1).filter((status) => status !== 503)).toEqual([])
  }

  it.each(['fast', 'immediate'] as const)(
    'returns 503 for every route until PostgreSQL runs again, after a stop in %s mode',
    async (mode) => {
      const { project, flow } = await createFlow(server)
      await postgres.stop(mode)
      const responses = await Promise.all([
        server.request('GET', projects),
        server.request('POST', projects, { json: { name: `during the outage ${mode}` } }),
        server.request('GET', `${projects}/${project.id}/flows/${flow.id}`),
        server.request('PATCH', `${projects}/${project.id}/flows/${flow.id}`, { json: { active: false } }),
        server.request('DELETE', `${projects}/${project.id}`),
        server.request('POST', '/v1/notifications', { json: { project_id: project.id, subject: 'a', message: 'b' } }),
        server.request('POST', '/v1/notifications/batch', {
          json: { notifications: [{ project_id: project.id, subject: 'a', message: 'b' }] },
        }),
        server.request('GET', '/v1/notifications'),
        server.request('POST', '/v1/settings/api-keys', { json: { name: 'a' }, headers: { 'Idempotency-Key': 'k' } }),
      ])
      for (const response of responses) {
        expectProblem(response, 'unavailable')
        expect(response.json.detail).toContain('may have been applied. Retrying it with the same Idempotency-Key is safe.')
        expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
        // The random request id may contain the same digits as a port.
        const { request_id: _, ...problem } = response.json
        expect(JSON.stringify(problem)).not.toMatch(/ECONN|postgres|select|5432|127\.0\.0\.1|terminat/i)
        expect(JSON.stringify(problem)).not.toContain(new URL(postgres.url).port)
      }
      // The process is alive but not ready, and serves its metrics.
      expect((await server.request('GET', '/livez')).status).toBe(200)
      await expect.poll(async () => (await server.request('GET', '/readyz')).status).toBe(503)
      const metrics = await server.request('GET', '/metrics')
      expect(metrics.status).toBe(200)
      expect(metrics.text).toMatch(/http_request_duration_seconds_count\{[^}]*status="503"[^}]*\} /)

      await postgres.start()
      await recover()
      expect((await server.request('GET', '/readyz')).status).toBe(200)
      expect((await server.request('GET', `${projects}/${project.id}/flows/${flow.id}`)).json).toEqual(flow)
      // Writes during the outage had no effect. After the outage, writes work and messages are delivered.
      const { json } = await server.request('GET', `${projects}?limit=1000`)
      expect(json.data.map(({ name }: { name: string }) => name)).not.toContain(`during the outage ${mode}`)
      await addFlow(server, project.id)
      const sent = await server.request('POST', '/v1/notifications', { json: { project_id: project.id, subject: 'a', message: 'b' } })
      expect(sent.status).toBe(202)
      expect(await readCompleted(server, sent.json.id)).toMatchObject({ status: 'sent' })
    },
  )

  it('is logged when it begins and when it ends, and not for every request', () => {
    const lines = server.logged.map((line) => JSON.parse(line) as { level: string; msg: string })
    expect(lines.filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([])
    // Only the two outages are logged, not the many failed requests.
    const changes = lines.map(({ msg }) => msg).filter((msg) => msg.startsWith('PostgreSQL can'))
    const outage = [
      'PostgreSQL cannot be reached. Requests receive a 503 response until it can be reached again.',
      'PostgreSQL can be reached again.',
    ]
    expect(changes).toEqual([...outage, ...outage])
    const logged = lines.filter(({ level }) => level === 'warn').length
    expect(logged, 'warnings, including the four lines above').toBeLessThan(12)
  })
})
