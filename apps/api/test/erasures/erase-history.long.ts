import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fromId } from '../../src/shared/ids.ts'
import { dump } from '../support/direct-database.ts'
import { addFlow, readCompleted } from '../support/resources.ts'
import { loopbackEgress } from '../support/smtp-auth-server.ts'
import { type ReceivedMail, type SmtpReply, type SmtpSink, startSmtpSink } from '../support/smtp-sink.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { waitForErasure } from './wait-for-erasure.ts'

const address = 'bob.person@example.com'
const spellings = [address, 'BOB.PERSON@EXAMPLE.COM', 'Bob.Person@Example.com']
const env = { FLOWPOST_ENCRYPTION_KEY: `k1:${Buffer.alloc(32, 1).toString('base64')}`, FLOWPOST_CAPTURE: 'missing' }

/** Replies with the recipient's address, as many mail servers do. */
const reply = (_number: number, { raw, to }: ReceivedMail): SmtpReply => {
  if (raw.includes('Subject: Stall')) return 'stall'
  if (raw.includes('Subject: Bounce')) return { code: 550, text: `5.1.1 <${to[0]}> does not exist` }
  if (raw.includes('Subject: Busy')) return { code: 451, text: `4.2.1 ${to[0]} is busy` }
  return { code: 250, text: `2.0.0 queued for ${to[0]}` }
}

const later = () => new Date(Date.now() + 3_600_000).toISOString()

/**
 * Sends all kinds of messages to the recipient for one user. Returns the ids of the deliveries to the recipient, and the id of
 * a project whose messages are sent, not captured.
 */
const buildHistory = async (
  server: TestServer,
  smtp: SmtpSink,
  key: string,
): Promise<{ readonly ids: string[]; readonly project: string }> => {
  const call = async (path: string, json: object, headers: Record<string, string> = {}) => {
    const response = await server.request('POST', path, { json, key, headers })
    expect([200, 201, 202], response.text).toContain(response.status)
    return response.json
  }
  const addProject = async (name: string) => (await call('/v1/settings/projects', { name })).id as string
  const flow = (project: string, source_type: string) =>
    call(`/v1/settings/projects/${project}/flows`, { name: 'a', source_type, target: 'default@example.com', override_target: true })
  const ids: string[] = []
  const sendIn = (project_id: string) => async (fields: object, headers?: Record<string, string>) => {
    const sent = await call(
      '/v1/notifications',
      { project_id, message: `Dear ${address}, it is ready.`, subject: 'Ready', ...fields },
      headers,
    )
    for (const { id, target } of sent.deliveries) if (target.toLowerCase() === address) ids.push(fromId('delivery', id) ?? '')
    return sent.id as string
  }
  const completed = (id: string) => readCompleted({ ...server, request: (m, p, o) => server.request(m, p, { ...o, key }) }, id)

  // In a project with its own credential, provider responses are stored.
  const own = await addProject('own')
  const { port } = new URL(smtp.url)
  const settings = { host: '127.0.0.1', port: Number(port), security: 'none', from: 'noreply@example.com' }
  const put = await server.request('PUT', `/v1/settings/projects/${own}/integrations/smtp`, { json: { settings }, key })
  expect(put.status, put.text).toBe(200)
  await flow(own, 'smtp')
  await call(`/v1/settings/projects/${own}/event-endpoints`, { url: null, events: ['delivery.failed', 'delivery.canceled'] })
  const send = sendIn(own)
  for (const target of spellings) await completed(await send({ target }))
  const failed = await send({ target: spellings[2], subject: 'Bounce' })
  await completed(failed)
  const retried = await server.request('POST', `/v1/notifications/${failed}/retry`, { key, headers: { 'Idempotency-Key': 'retry' } })
  expect(retried.status).toBe(202)
  await completed(failed)
  const busy = await send({ target: address, subject: 'Busy' })
  for (let status = ''; status !== 'retrying'; )
    status = (await server.request('GET', `/v1/notifications/${busy}`, { key })).json.deliveries[0].status
  await send({ target: `smtp:${spellings[1]};other@example.com`, send_at: later() }, { 'X-Request-Id': `for/${address}` })
  await send({ target: 'admin@example.com', subject: `About ${spellings[2]}`, send_at: later() }, { 'X-Request-Id': `about/${address}` })
  await completed(await send({ target: 'admin@example.com', reference: `of ${address}`, metadata: { customer: spellings[1] } }))
  await send({ target: address, send_at: later() }, { 'Idempotency-Key': 'invoice-1' })
  await send({ target: address, send_at: later() }, { 'Idempotency-Key': `welcome-${address}` })

  // This flow mentions the recipient until the PATCH below. After that, only its settings history has the address. An erasure
  // changes the settings history, but not the flow.
  const edited = await call(`/v1/settings/projects/${own}/flows`, {
    name: `For ${address}`,
    source_type: 'smtp',
    target: spellings[1],
    active: false,
  })
  const headers = { 'X-Request-Id': `away/from/${address}` }
  const patch = { name: 'b', target: 'default@example.com' }
  const patched = await server.request('PATCH', `/v1/settings/projects/${own}/flows/${edited.id}`, { json: patch, key, headers })
  expect(patched.status, patched.text).toBe(200)

  // In a project without a credential, messages are captured.
  const captured = await addProject('captured')
  await flow(captured, 'mailgun')
  const capture = sendIn(captured)
  await completed(await capture({ target: spellings[1] }))
  await completed(await capture({ target: 'admin@example.com', subject: `About ${address}` }))
  await call(`/v1/settings/projects/${captured}/suppressions`, { target: address, reason: 'bounce' }, { 'Idempotency-Key': 'suppress' })
  await completed(await capture({ target: address }))
  return { ids, project: own }
}

const mentions = (rows: readonly string[]): string[] => rows.filter((row) => row.toLowerCase().includes(address))
const tableOf = (row: string): string => row.slice(0, row.indexOf(' '))

describe('an erasure of a history with all kinds of messages', () => {
  let smtp: SmtpSink
  let server: TestServer
  let own: string[]
  let others: string[]
  let [before, after]: [string[], string[]] = [[], []]
  let erasure: { id: string; target: string; deliveries: number; requested_by: string; done_at: string }
  const logged: string[] = []

  beforeAll(async () => {
    smtp = await startSmtpSink({ reply })
    const options = { env, egress: loopbackEgress, shutdownGraceMs: 10, sendTimeoutMs: 30_000 }
    const first = await startTestServer({
      ...options,
      retryPolicy: { initialWaitMs: 3_600_000, maxWaitMs: 3_600_000, budgetMs: 7_200_000 },
    })
    const histories = { alice: await buildHistory(first, smtp, first.keys.alice), bob: await buildHistory(first, smtp, first.keys.bob) }
    own = histories.alice.ids
    others = histories.bob.ids
    await first.stop()
    before = await dump(first.database)
    const sent = smtp.received.length
    server = await first.restart()
    // Both users have a message in flight.
    for (const user of ['alice', 'bob'] as const) {
      const json = { project_id: histories[user].project, subject: 'Stall', message: 'Ready', target: address }
      const stalled = await server.request('POST', '/v1/notifications', { json, key: server.keys[user] })
      histories[user].ids.push(fromId('delivery', stalled.json.deliveries[0].id) ?? '')
    }
    await smtp.waitForMessages(sent + 2)
    const requested = await server.request('POST', '/v1/erasures', { json: { target: spellings[2], block: true } })
    expect(requested.status, requested.text).toBe(202)
    erasure = await waitForErasure(server, requested.json.id)
    logged.push(...first.logged, ...server.logged)
    await server.stop()
    after = await dump(server.database)
  })
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]()
    await smtp?.[Symbol.asyncDispose]()
  })

  it('is tested with a history that mentions the address in every table that can contain it', () => {
    const tables = new Set(mentions(before).map(tableOf))
    expect([...tables].sort()).toEqual(
      [
        'attempts',
        'captured_messages',
        'deliveries',
        'delivery_jobs',
        'events',
        'idempotency_keys',
        'message_bodies',
        'notifications',
        'settings_history',
        'suppressions',
      ].map((name) => `public.${name}`),
    )
  })

  it('leaves the address nowhere in the database, except in the data of another user', () => {
    const isOthers = (row: string) => row.includes(',bob,') || row.includes('(bob,') || others.some((id) => row.includes(id))
    const projectsOfBob = before.filter((row) => tableOf(row) === 'public.projects' && row.includes(',bob,'))
    const ids = projectsOfBob.map((row) => /\(([^,]+),/.exec(row)?.[1] ?? '')
    const notifications = before.filter((row) => tableOf(row) === 'public.notifications' && row.includes(',bob,'))
    ids.push(...notifications.map((row) => /\(([^,]+),/.exec(row)?.[1] ?? ''))
    const deliveries = before.filter((row) => tableOf(row) === 'public.deliveries' && row.includes(',bob,'))
    ids.push(...deliveries.map((row) => /\(([^,]+),/.exec(row)?.[1] ?? ''))
    const left = mentions(after)
    expect(left.filter((row) => !isOthers(row) && !ids.some((id) => row.includes(id)))).toEqual([])
    const count = (rows: readonly string[]) =>
      mentions(rows).filter((row) => tableOf(row) === 'public.deliveries' && row.includes(',bob,')).length
    // The other user sent one more message after the first dump.
    expect([count(after), count(before)]).toEqual([others.length, others.length - 1])
  })

  it('keeps every delivery, and counts those that it erased', () => {
    const rows = after.filter((row) => tableOf(row) === 'public.deliveries')
    expect(rows.filter((row) => row.includes(erasure.target))).toHaveLength(own.length)
    expect(own.every((id) => rows.some((row) => row.includes(id)))).toBe(true)
    expect(erasure).toMatchObject({ status: 'done', deliveries: own.length, block: true, requested_by: expect.stringMatching(/^key_/) })
    expect(Date.parse(erasure.done_at)).toBeGreaterThan(0)
  })

  it('leaves no open delivery to the recipient', () => {
    expect(after.filter((row) => tableOf(row) === 'public.delivery_jobs' && own.some((id) => row.includes(id)))).toEqual([])
  })

  it('writes no log line with the address', () => {
    const lines = logged.filter((line) => !/"request_id":"(?:for|about|away)\//.test(line))
    expect(mentions(lines)).toEqual([])
  })

  it('is still readable after a restart, and can be repeated although no deliveries to the recipient are left', async () => {
    server = await server.restart()
    const { json } = await server.request('GET', `/v1/erasures/${erasure.id}`)
    expect(json).toEqual(erasure)
    const again = await server.request('POST', '/v1/erasures', { json: { target: address } })
    expect(await waitForErasure(server, again.json.id)).toMatchObject({ target: erasure.target, deliveries: 0 })
  })
})

describe('concurrent messages', () => {
  it('leave no address behind if the recipient is blocked', async () => {
    await using server = await startTestServer({ env: { ...env, FLOWPOST_RATE_LIMIT: 'off' } })
    const project = await server.request('POST', '/v1/settings/projects', { json: { name: 'busy' } })
    await addFlow(server, project.json.id, { source_type: 'mailgun', override_target: true })
    // The project already has a suppression list, so the erasure does not change the cached settings.
    await server.request('POST', `/v1/settings/projects/${project.json.id}/suppressions`, { json: { target: 'eve@example.com' } })
    let sending = true
    const sendUntilDone = async (target: string) => {
      for (let number = 0; sending; number += 1) {
        const json = { project_id: project.json.id, subject: 'Ready', message: 'It is ready.', target }
        const headers = { 'Idempotency-Key': `${target.length}-${Math.random()}-${number}` }
        const { status, text } = await server.request('POST', '/v1/notifications', { json, headers })
        expect(status, text).toBe(202)
      }
    }
    const senders = [address, spellings[1] ?? '', `${address};other@example.com`, 'other@example.com'].map(sendUntilDone)
    await new Promise((resolve) => setTimeout(resolve, 200))
    const requested = await server.request('POST', '/v1/erasures', { json: { target: address, block: true } })
    const { deliveries, target } = await waitForErasure(server, requested.json.id)
    sending = false
    await Promise.all(senders)
    await server.stop()
    expect(server.logged.filter((line) => line.includes('Erasure failed'))).toEqual([])
    const rows = await dump(server.database)
    expect(mentions(rows)).toEqual([])
    expect(deliveries).toBeGreaterThan(0)
    expect(rows.filter((row) => tableOf(row) === 'public.deliveries' && row.includes(target)).length).toBeGreaterThan(deliveries)
  })
})
