import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectProblem } from './support/expect-problem.ts'
import { type PrivatePostgres, postgresBinaries, startPrivatePostgres } from './support/private-postgres.ts'
import { addFlow, createFlow, readCompleted } from './support/resources.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

const projects = '/v1/settings/projects'

describe.skipIf(postgresBinaries() === undefined)('a database that is away (needs the PostgreSQL programs of this machine)', () => {
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

  /** Asks until the server answers well again, and gives how long that took. */
  const recovered = async (): Promise<number> => {
    const startedMs = performance.now()
    for (;;) {
      const { status } = await server.request('GET', projects)
      if (status === 200) return performance.now() - startedMs
      expect(status).toBe(503)
      expect(performance.now() - startedMs).toBeLessThan(20_000)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }

  it.each(['fast', 'immediate'] as const)('is 503 everywhere and forgotten once it is back, after a stop that is %s', async (mode) => {
    const { project, flow } = await createFlow(server)
    await postgres.stop(mode)
    const away = await Promise.all([
      server.request('GET', projects),
      server.request('POST', projects, { json: { name: `while away ${mode}` } }),
      server.request('GET', `${projects}/${project.id}/flows/${flow.id}`),
      server.request('PATCH', `${projects}/${project.id}/flows/${flow.id}`, { json: { active: false } }),
      server.request('DELETE', `${projects}/${project.id}`),
      server.request('POST', '/v1/notifications', { json: { project_id: project.id, subject: 'a', message: 'b' } }),
      server.request('GET', '/v1/notifications'),
      server.request('POST', '/v1/settings/api-keys', { json: { name: 'a' }, headers: { 'Idempotency-Key': 'k' } }),
    ])
    for (const response of away) {
      expectProblem(response, 'unavailable')
      expect(response.json.detail).toContain('may have been applied. Retrying it with the same Idempotency-Key is safe.')
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(response.text).not.toMatch(/ECONN|postgres|select|5432|127\.0\.0\.1|terminat/i)
    }
    // It lives, and says that it is not ready; its metrics are there, without the depth of the queue.
    expect((await server.request('GET', '/livez')).status).toBe(200)
    await expect.poll(async () => (await server.request('GET', '/readyz')).status).toBe(503)
    const metrics = await server.request('GET', '/metrics')
    expect(metrics.status).toBe(200)
    expect(metrics.text).toMatch(/http_request_duration_seconds_count\{[^}]*status="503"[^}]*\} /)

    await postgres.start()
    expect(await recovered()).toBeLessThan(10_000)
    expect((await server.request('GET', '/readyz')).status).toBe(200)
    expect((await server.request('GET', `${projects}/${project.id}/flows/${flow.id}`)).json).toEqual(flow)
    // Nothing was done while it was away, and what is asked now is done, delivering included.
    const { json } = await server.request('GET', `${projects}?limit=1000`)
    expect(json.data.map(({ name }: { name: string }) => name)).not.toContain(`while away ${mode}`)
    await addFlow(server, project.id)
    const sent = await server.request('POST', '/v1/notifications', { json: { project_id: project.id, subject: 'a', message: 'b' } })
    expect(sent.status).toBe(202)
    expect(await readCompleted(server, sent.json.id)).toMatchObject({ status: 'sent' })
  })

  it('does not fill the log with its text or with stacks at every request', () => {
    const lines = server.logged.map((line) => JSON.parse(line) as { level: string; msg: string })
    expect(lines.filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([])
    // Two outages, in a hundred failed requests: each is told when it begins and when it ends.
    const told = lines.map(({ msg }) => msg).filter((msg) => msg.startsWith('PostgreSQL can'))
    const outage = ['PostgreSQL cannot be reached. Requests are answered with 503 until it is.', 'PostgreSQL can be reached again.']
    expect(told).toEqual([...outage, ...outage])
    expect(lines.filter(({ msg }) => msg === 'The database is not available right now. Try again in a moment.')).toEqual([])
  })
})
