import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { waitForErasure } from './erasures/wait-for-erasure.ts'
import { recordStatements } from './statements/record-statements.ts'
import { createKey } from './support/api-keys.ts'
import { onDatabase } from './support/direct-database.ts'
import { expectProblem } from './support/expect-problem.ts'
import { createFlow, readCompleted, send } from './support/resources.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

const env = { FLOWPOST_CAPTURE: 'on', FLOWPOST_RATE_LIMIT: 'off' }

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ env })
})
afterAll(() => server[Symbol.asyncDispose]())

const suppress = async (projectId: string, target: string, on = server) => {
  const { status, json, text } = await on.request('POST', `/v1/settings/projects/${projectId}/suppressions`, { json: { target } })
  expect([200, 201], text).toContain(status)
  return json
}

const statementsOn = (statements: ReadonlySet<string>) =>
  [...statements].filter((sql) =>
    /from suppressions s where s\.project_id = \$1|not \(d\.status = 'sending' and d\.test is true\)/.test(sql),
  )

describe('a project without suppressions', () => {
  it('runs no statements about suppressions', async () => {
    const recorded = recordStatements()
    await using own = await startTestServer({ env })
    const { project } = await createFlow(own)
    await readCompleted(own, (await send(own, project.id)).id)
    expect(statementsOn(recorded)).toEqual([])
    await suppress(project.id, 'eve@example.com', own)
    await readCompleted(own, (await send(own, project.id)).id)
    expect(statementsOn(recorded)).toHaveLength(2)
  })
})

describe('a suppression', () => {
  it('takes effect for each message that is accepted after the response', async () => {
    const { project } = await createFlow(server, { override_target: true })
    for (let round = 0; round < 20; round += 1) {
      const target = `round${round}@example.com`
      expect((await send(server, project.id, { target, send_at: '2026-11-23T00:00:00Z' })).status).toBe('queued')
      await suppress(project.id, target)
      expect(await send(server, project.id, { target })).toMatchObject({
        status: 'failed',
        deliveries: [{ failure: { code: 'suppressed' } }],
      })
    }
  })

  it('takes effect even if a message was planned earlier', async () => {
    const { project } = await createFlow(server, { override_target: true })
    let suppressed = false
    const sendUntilSuppressed = async (number: number) => {
      for (let count = 0; count < 40; count += 1) {
        const wasSuppressed = suppressed
        const { deliveries } = await send(server, project.id, { target: `person${number}@example.com` })
        if (wasSuppressed) expect(deliveries[0].status).toBe('failed')
      }
    }
    const senders = [1, 2, 3].map(sendUntilSuppressed)
    for (const number of [1, 2, 3]) await suppress(project.id, `person${number}@example.com`)
    suppressed = true
    await Promise.all(senders)
  })

  it('stores the message for a retry, but queues no job', async () => {
    const { project } = await createFlow(server, { override_target: true })
    await suppress(project.id, 'bob@example.com')
    const headers = { 'Idempotency-Key': 'suppressed' }
    const json = {
      project_id: project.id,
      subject: 'a',
      message: 'b',
      target: 'Bob@Example.com;ann@example.com',
      send_at: '2999-01-01T00:00:00Z',
    }
    const rejected = await server.request('POST', '/v1/notifications', { json, headers })
    expect(rejected.status).toBe(422)
    const sent = await server.request('POST', '/v1/notifications', {
      json: { ...json, send_at: new Date(Date.now() + 86_400_000).toISOString() },
      headers,
    })
    expect(sent.json).toMatchObject({ status: 'sending', subject: 'a', deliveries: [{ status: 'failed' }, { status: 'queued' }] })
    await server.stop()
    const [counts] = await onDatabase(server.database, (query) =>
      query(
        `select (select count(*)::int from message_bodies b join deliveries d on d.id = b.delivery_id where d.project_id = p.id) as bodies,
           (select count(*)::int from delivery_jobs j where j.project_id = p.id) as jobs,
           (select count(*)::int from recipient_digests r join deliveries d on d.id = r.delivery_id where d.project_id = p.id) as digests
         from projects p where p.id = (select project_id from suppressions where target = 'bob@example.com')`,
      ),
    )
    expect(counts).toEqual({ bodies: 2, jobs: 1, digests: 1 })
    server = await server.restart()
  })

  it('does not let a retry send the message before its `send_at`', async () => {
    const { project } = await createFlow(server, { override_target: true })
    const { id } = await suppress(project.id, 'bob@example.com')
    const send_at = new Date(Date.now() + 86_400_000).toISOString()
    const sent = await send(server, project.id, { target: 'bob@example.com', send_at })
    expect((await server.request('DELETE', `/v1/settings/projects/${project.id}/suppressions/${id}`)).status).toBe(204)
    const waiting = { status: 'queued', deliveries: [{ status: 'queued', next_attempt_at: send_at }] }
    expect((await server.request('POST', `/v1/notifications/${sent.id}/retry`)).json).toMatchObject(waiting)
    expect((await server.request('GET', `/v1/notifications/${sent.id}?wait=1`)).json).toMatchObject(waiting)
  })

  it('is not found by a search for its failure after a retry has failed for another reason', async () => {
    const { project } = await createFlow(server, { override_target: true })
    const target = 'bounce@flowpost.test'
    const { id } = await suppress(project.id, target)
    const { key } = await createKey(server, { mode: 'test' })
    const json = { project_id: project.id, subject: 'a', message: 'b', target }
    const sent = await server.request('POST', '/v1/notifications', { json, key })
    // With many pending notifications in the searched period, the search would not use the index of recipients.
    const query = `target=${target}&created_after=${project.created_at}`
    const find = async (code: string) => (await server.request('GET', `/v1/notifications?${query}&failure_code=${code}`)).json.data.length
    expect(await find('suppressed')).toBe(1)
    await server.request('DELETE', `/v1/settings/projects/${project.id}/suppressions/${id}`)
    expect((await server.request('POST', `/v1/notifications/${sent.json.id}/retry`)).status).toBe(202)
    const { deliveries } = await readCompleted(server, sent.json.id)
    expect([await find('suppressed'), await find(deliveries[0].failure.code)]).toEqual([0, 1])
  })

  it('does not cause the address to be stored again if an erasure has blocked the recipient', async () => {
    const { project } = await createFlow(server, { override_target: true })
    const erasure = await server.request('POST', '/v1/erasures', { json: { target: 'smtp:erased@example.com', block: true } })
    const { target } = await waitForErasure(server, erasure.json.id)
    await suppress(project.id, 'erased@example.com')
    const { status, deliveries } = await send(server, project.id, { target: 'erased@example.com' })
    expect([status, deliveries]).toMatchObject(['failed', [{ target, failure: { code: 'suppressed' } }]])
  })

  it('is deleted with its project', async () => {
    const { project } = await createFlow(server)
    await suppress(project.id, 'gone@example.com')
    expect((await server.request('DELETE', `/v1/settings/projects/${project.id}`)).status).toBe(204)
    expect((await server.request('GET', `/v1/settings/projects/${project.id}/suppressions`)).status).toBe(404)
  })
})

describe('without the key that identifies recipients', () => {
  it('accepts and sends messages only of projects that suppress nobody', async () => {
    const key = (byte: number) => `k${byte}:${Buffer.alloc(32, byte).toString('base64')}`
    await using first = await startTestServer({ env: { ...env, FLOWPOST_ENCRYPTION_KEY: key(1) } })
    const { project: free } = await createFlow(first)
    const { project } = await createFlow(first)
    const path = `/v1/settings/projects/${project.id}/suppressions`
    const queued = await send(first, project.id, { send_at: new Date(Date.now() + 1_500).toISOString() })
    expect((await first.request('POST', path, { json: { target: 'bob@example.com' } })).status).toBe(201)
    await first.stop()
    const second = await first.restart({ env: { ...env, FLOWPOST_ENCRYPTION_KEY: key(2) } })
    try {
      expect((await readCompleted(second, (await send(second, free.id)).id)).status).toBe('sent')
      const json = { project_id: project.id, subject: 'a', message: 'b' }
      for (const [route, body] of [
        ['/v1/notifications', json],
        ['/v1/notifications/preview', json],
        [path, { target: 'eve@example.com' }],
        ['/v1/erasures', { target: 'eve@example.com' }],
      ] as const) {
        const response = await second.request('POST', route, { json: body })
        expectProblem(response, 'unavailable')
        expect(response.headers.get('retry-after'), route).toBe('60')
      }
      const batch = await second.request('POST', '/v1/notifications/batch', {
        json: { notifications: [json, { ...json, project_id: free.id }] },
      })
      expect(batch.json.results).toMatchObject([{ status: 503, problem: { code: 'unavailable' } }, { status: 202 }])
      expect(batch.headers.get('retry-after')).toBe('60')
      const { json: waiting } = await second.request('GET', `/v1/notifications/${queued.id}?wait=1`)
      expect(waiting).toMatchObject({ status: 'queued', deliveries: [{ attempt_count: 0 }] })
    } finally {
      await second.stop()
    }
  })
})
