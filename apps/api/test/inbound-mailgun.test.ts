import { createHmac, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { onDatabase } from './support/direct-database.ts'
import { type ProviderServers, startProviderServers } from './support/provider-servers.ts'
import { createInbound, readReceipt, readSuppressions, receiptEnvironment, sendOne } from './support/receipts.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

const signingKey = 'key-3ax6xnjp29jd6fds4gc373sgvjxteol0'
const integration = {
  settings: { domain: 'mg.example.com', from: 'no-reply@mg.example.com' },
  secrets: { api_key: 'key-1', webhook_signing_key: signingKey },
}

let providers: ProviderServers
let server: TestServer
beforeAll(async () => {
  providers = await startProviderServers()
  server = await startTestServer({ env: receiptEnvironment, providers: providers.providers })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await providers[Symbol.asyncDispose]()
})

const bounce = {
  event: 'failed',
  severity: 'permanent',
  reason: 'bounce',
  'delivery-status': { code: 550, 'enhanced-code': '5.1.1', message: 'No such user', 'bounce-type': 'hard' },
}

const createToken = () => randomBytes(25).toString('hex')

/** Returns a report about a delivery, as Mailgun sends it. */
const createReport = (deliveryId: string, event: object, { key = signingKey, ageMs = 0, token = createToken() } = {}) => {
  const timestamp = String(Math.floor((Date.now() - ageMs) / 1_000))
  const signature = createHmac('sha256', key).update(`${timestamp}${token}`).digest('hex')
  const recipient = 'no.such.user@receiver.example'
  const data = { timestamp: Date.now() / 1_000 - 60, recipient, 'user-variables': { flowpost_delivery_id: deliveryId }, ...event }
  return { signature: { timestamp, token, signature }, 'event-data': data }
}

const post = (path: string, json: unknown) => server.request('POST', path, { json, key: null })

describe('a report from Mailgun', () => {
  it('becomes the receipt of the delivery, suppresses a bad address and logs one line', async () => {
    const { project, inbound } = await createInbound(server, 'mailgun', integration)
    const { deliveryId, notificationId } = await sendOne(server, project.id)
    const lines = server.logged.length

    const delivered = await post(inbound, createReport(deliveryId, { event: 'delivered', 'delivery-status': { code: 250, message: 'OK' } }))
    expect([delivered.status, delivered.json]).toEqual([200, { result: 'recorded' }])
    expect(await readReceipt(server, notificationId)).toMatchObject({ status: 'delivered', code: '250', detail: 'OK' })
    expect(await readSuppressions(server, project.id)).toEqual([])

    expect((await post(inbound, createReport(deliveryId, bounce))).json).toEqual({ result: 'recorded' })
    expect(await readReceipt(server, notificationId)).toMatchObject({ status: 'bounced', code: '5.1.1', detail: 'No such user' })
    expect(await readSuppressions(server, project.id)).toMatchObject([
      { target: 'no.such.user@receiver.example', source_type: null, reason: 'bounce', source: 'receipt' },
    ])
    expect((await post(inbound, createReport(deliveryId, { ...bounce, timestamp: Date.now() / 1_000 }))).json).toEqual({
      result: 'unchanged',
    })

    const logged = server.logged.slice(lines).join('')
    const recorded = logged.split('\n').filter((line) => line.includes('Receipt recorded.'))
    expect(recorded.map((line) => JSON.parse(line))).toMatchObject([
      { delivery_id: deliveryId, notification_id: notificationId, receipt: 'delivered', source: 'inbound' },
      { delivery_id: deliveryId, receipt: 'bounced' },
    ])
    expect(logged).toContain('/v1/inbound/mailgun/***')
    expect(logged).not.toContain('fpi_')
    for (const secret of [signingKey, 'no.such.user', 'No such user']) expect(logged).not.toContain(secret)
  })

  it('is ignored if it is not final, or not about a message that the integration sent', async () => {
    const { project, inbound } = await createInbound(server, 'mailgun', integration)
    const other = await createInbound(server, 'mailgun', integration)
    const { deliveryId, notificationId } = await sendOne(server, project.id)
    const foreign = await sendOne(server, other.project.id)
    for (const report of [
      createReport(deliveryId, { ...bounce, severity: 'temporary' }),
      createReport(deliveryId, { event: 'opened' }),
      createReport(deliveryId, { ...bounce, 'user-variables': [] }),
      createReport('dlv_01jdv3k2m8f6wbn0q4z5t7x9ya', bounce),
      createReport('nonsense', bounce),
      createReport(foreign.deliveryId, bounce),
    ])
      expect((await post(inbound, report)).json).toEqual({ result: 'ignored' })
    expect([await readReceipt(server, notificationId), await readReceipt(server, foreign.notificationId)]).toEqual([null, null])
  })

  it('is rejected with 406 when it is replayed or stale, so that Mailgun does not repeat it', async () => {
    const { project, inbound } = await createInbound(server, 'mailgun', integration)
    const { deliveryId, notificationId } = await sendOne(server, project.id)
    const report = createReport(deliveryId, { event: 'delivered' })
    // All processes share the list of used tokens, so only one of several simultaneous requests is accepted.
    const responses = await Promise.all(Array.from({ length: 5 }, () => post(inbound, report)))
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 406, 406, 406, 406])
    // The signature does not cover the event, so a used token must be rejected with a different event too.
    const replaced = await post(inbound, { ...report, 'event-data': { ...report['event-data'], ...bounce } })
    expect([replaced.status, replaced.json.code]).toEqual([406, 'report_rejected'])
    const stale = await post(inbound, createReport(deliveryId, bounce, { ageMs: 13 * 3_600_000 }))
    expect([stale.status, stale.json.code]).toEqual([406, 'report_rejected'])
    expect(await readReceipt(server, notificationId)).toMatchObject({ status: 'delivered' })
  })

  it('is recorded once when the clock of the server is slow, and gets 404, which Mailgun repeats, when it is very slow', async () => {
    const { project, inbound } = await createInbound(server, 'mailgun', integration)
    const { deliveryId, notificationId } = await sendOne(server, project.id)
    expect((await post(inbound, createReport(deliveryId, bounce, { ageMs: -13 * 3_600_000 }))).status).toBe(404)
    const report = createReport(deliveryId, bounce, { ageMs: -600_000 })
    expect((await post(inbound, report)).json).toEqual({ result: 'recorded' })
    expect((await post(inbound, report)).status).toBe(406)
    expect(await readReceipt(server, notificationId)).toMatchObject({ status: 'bounced' })
  })

  it("gets the same response for a wrong signature, a missing key, an unknown token and another provider's token", async () => {
    const { project, inbound } = await createInbound(server, 'mailgun', integration)
    const keyless = await createInbound(server, 'mailgun', { ...integration, secrets: { api_key: 'key-1' } })
    const { deliveryId, notificationId } = await sendOne(server, project.id)
    const valid = createReport(deliveryId, bounce)
    const responses = [
      await post(inbound, createReport(deliveryId, bounce, { key: 'wrong' })),
      await post(inbound, { ...valid, signature: { ...valid.signature, token: 'other' } }),
      await post(inbound, { 'event-data': valid['event-data'] }),
      await post(keyless.inbound, valid),
      await post(`/v1/inbound/mailgun/fpi_${'a'.repeat(32)}`, valid),
      await post('/v1/inbound/mailgun/short', valid),
      await post(inbound.replace('mailgun', 'smtp'), valid),
      await post(inbound.replace('mailgun', 'slack'), valid),
      await post(inbound.replace('mailgun', 'nobody'), valid),
    ]
    const [first] = responses.map(({ json: { request_id: _, ...problem } }) => problem)
    for (const { status, json } of responses) expect([status, { ...json, request_id: undefined }]).toEqual([404, { ...first }])
    expect(await readReceipt(server, notificationId)).toBeNull()
    expect((await post(inbound, valid)).json).toEqual({ result: 'recorded' })
  })

  it('is recorded once for each integration, even if another integration has received the same token', async () => {
    const token = createToken()
    const prepare = async (key: string) => {
      const secrets = { ...integration.secrets, webhook_signing_key: key }
      const { project, inbound } = await createInbound(server, 'mailgun', { ...integration, secrets })
      const { deliveryId } = await sendOne(server, project.id)
      return () => post(inbound, createReport(deliveryId, { event: 'delivered' }, { key, token }))
    }
    const [one, other] = [await prepare('key-of-one'), await prepare('key-of-another')]
    expect((await one()).json).toEqual({ result: 'recorded' })
    expect((await other()).json).toEqual({ result: 'recorded' })
    expect((await other()).status).toBe(406)
  })

  it('is rejected with another media type, and if it is too large', async () => {
    const { inbound } = await createInbound(server, 'mailgun', integration)
    const headers = { 'Content-Type': 'multipart/form-data; boundary=x' }
    expect((await server.request('POST', inbound, { body: '--x--', headers, key: null })).status).toBe(415)
    expect((await post(inbound, { text: 'a'.repeat(1_100_000) })).status).toBe(413)
    expect((await server.request('GET', inbound, { key: null })).status).toBe(405)
  })

  // A test cannot run statements in the embedded database of a running server.
  it.skipIf(inject('postgres') === null)('can be sent again if recording it failed', async () => {
    const { project, inbound } = await createInbound(server, 'mailgun', integration)
    const { deliveryId, notificationId } = await sendOne(server, project.id)
    const report = createReport(deliveryId, bounce)
    await onDatabase(server.database, (query) => query('alter table deliveries add constraint broken check (receipt is null) not valid'))
    expect((await post(inbound, report)).status).toBe(500)
    await onDatabase(server.database, (query) => query('alter table deliveries drop constraint broken'))
    expect((await post(inbound, report)).json).toEqual({ result: 'recorded' })
    expect(await readReceipt(server, notificationId)).toMatchObject({ status: 'bounced' })
  })

  it('is accepted at the previous address for a day, and at no older one', async () => {
    const { project, inbound, rotate } = await createInbound(server, 'mailgun', integration)
    const { deliveryId } = await sendOne(server, project.id)
    const second = await rotate()
    const status = async (path: string) => (await post(path, createReport(deliveryId, { event: 'delivered' }))).status
    expect([await status(inbound), await status(second)]).toEqual([200, 200])
    const third = await rotate()
    expect([await status(inbound), await status(second), await status(third)]).toEqual([404, 200, 200])
    await server.request('DELETE', `/v1/settings/projects/${project.id}/integrations/mailgun`)
    expect([await status(second), await status(third)]).toEqual([404, 404])
  })
})

it('limits failures by client address, while an inbound address that was used before still works', async () => {
  await using limited = await startTestServer({ env: receiptEnvironment, providers: providers.providers })
  const { project, inbound } = await createInbound(limited, 'mailgun', integration)
  const { deliveryId } = await sendOne(limited, project.id)
  const deliver = () => limited.request('POST', inbound, { json: createReport(deliveryId, { event: 'delivered' }), key: null })
  expect((await deliver()).status).toBe(200)
  const guesses = Array.from({ length: 61 }, (_, index) => `/v1/inbound/mailgun/fpi_${String(index).padStart(32, 'x')}`)
  const statuses = await Promise.all(guesses.map(async (path) => (await limited.request('POST', path, { json: {}, key: null })).status))
  expect(statuses.filter((status) => status === 404).length).toBeLessThanOrEqual(60)
  expect(statuses).toContain(429)
  expect((await deliver()).status).toBe(200)
})
