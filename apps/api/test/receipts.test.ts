import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { waitForErasure } from './erasures/wait-for-erasure.ts'
import { readReceipt, readSuppressions, receiptEnvironment, sendOne } from './support/receipts.ts'
import { createFlow, readCompleted, send } from './support/resources.ts'
import { type SmtpSink, startSmtpSink } from './support/smtp-sink.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

let smtp: SmtpSink
let server: TestServer
beforeAll(async () => {
  smtp = await startSmtpSink()
  server = await startTestServer({
    env: { ...receiptEnvironment, FLOWPOST_SMTP_URL: smtp.url, FLOWPOST_EMAIL_FROM: 'no-reply@example.com' },
  })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await smtp[Symbol.asyncDispose]()
})

const record = (deliveryId: string, json: object, headers: Record<string, string> = {}) =>
  server.request('POST', `/v1/deliveries/${deliveryId}/receipt`, { json, headers })

describe('a recorded receipt', () => {
  it('suppresses the recipient of a message that was delivered, and is logged once', async () => {
    const { project } = await createFlow(server)
    const { deliveryId, notificationId } = await sendOne(server, project.id)
    const headers = { 'Idempotency-Key': deliveryId }
    const first = await record(deliveryId, { status: 'complained', detail: 'ops@example.com complained' }, headers)
    const again = await record(deliveryId, { status: 'complained', detail: 'ops@example.com complained' }, headers)
    expect([first.status, again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 200, 'true'])
    expect(again.json).toEqual(first.json)
    expect(await readReceipt(server, notificationId)).toEqual(first.json.receipt)
    expect(await readSuppressions(server, project.id)).toMatchObject([
      { target: 'ops@example.com', reason: 'complaint', source: 'receipt' },
    ])
    const lines = server.logged.filter((line) => line.includes('Receipt recorded.') && line.includes(deliveryId))
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ delivery_id: deliveryId, receipt: 'complained', source: 'api' }])
    expect(lines.join('')).not.toContain('ops@example.com')
  })

  it('is the most serious of several simultaneous receipts', async () => {
    const { project } = await createFlow(server)
    const { deliveryId, notificationId } = await sendOne(server, project.id)
    const statuses = ['delivered', 'bounced', 'complained', 'bounced', 'delivered']
    const responses = await Promise.all(statuses.map((status) => record(deliveryId, { status, code: '5.7.1' })))
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    expect(await readReceipt(server, notificationId)).toMatchObject({ status: 'complained' })
  })

  it('suppresses the recipient in whichever order two bounces arrive, if one of them has the address as its cause', async () => {
    const full = { status: 'bounced', code: '5.2.2', at: '2026-11-20T10:00:00Z' }
    const unknown = { status: 'bounced', code: '5.1.1', at: '2026-11-20T11:00:00Z' }
    for (const receipts of [
      [full, unknown],
      [unknown, full],
    ]) {
      const { project } = await createFlow(server)
      const { deliveryId, notificationId } = await sendOne(server, project.id)
      for (const receipt of receipts) expect((await record(deliveryId, receipt)).status).toBe(200)
      expect(await readReceipt(server, notificationId)).toMatchObject({ code: '5.1.1' })
      expect(await readSuppressions(server, project.id)).toMatchObject([{ target: 'ops@example.com', reason: 'bounce' }])
    }
  })

  it('suppresses nobody in a deleted project', async () => {
    const { project } = await createFlow(server)
    const { deliveryId, notificationId } = await sendOne(server, project.id)
    expect((await server.request('DELETE', `/v1/settings/projects/${project.id}`)).status).toBe(204)
    expect((await record(deliveryId, { status: 'bounced' })).json.receipt).toMatchObject({ status: 'bounced' })
    expect(await readReceipt(server, notificationId)).toMatchObject({ status: 'bounced' })
  })

  it('contains no address after an erasure', async () => {
    const { project } = await createFlow(server, { target: 'erase.me@example.com' })
    const { deliveryId, notificationId } = await sendOne(server, project.id)
    await record(deliveryId, { status: 'bounced', code: '5.7.1', detail: 'erase.me@example.com is unknown' })
    const erasure = await server.request('POST', '/v1/erasures', { json: { target: 'erase.me@example.com' } })
    expect(erasure.status, erasure.text).toBe(202)
    await waitForErasure(server, erasure.json.id)
    expect(await readReceipt(server, notificationId)).toMatchObject({ status: 'bounced', code: '5.7.1', detail: null })
    const complained = await record(deliveryId, { status: 'complained', detail: 'erase.me@example.com complained' })
    expect(complained.json.receipt).toMatchObject({ status: 'complained', detail: null })
  })

  it.each([
    ['bounced', 'bounce', { code: '5.1.1', detail: 'gone.bounced@example.com is unknown' }],
    ['complained', 'complaint', {}],
  ])(
    '%s: suppresses an erased recipient without storing its address, and later messages do not store it either',
    async (status, reason, fields) => {
      const target = `Gone.${status}@example.com`
      const { project } = await createFlow(server, { target })
      const { deliveryId } = await sendOne(server, project.id)
      const { json: erasure } = await server.request('POST', '/v1/erasures', { json: { target } })
      await waitForErasure(server, erasure.id)
      await record(deliveryId, { status: 'bounced', code: '5.7.1' })
      expect(await readSuppressions(server, project.id)).toEqual([])
      await record(deliveryId, { status, ...fields, at: '2026-01-01T00:00:00.000Z' })
      const [suppression, ...others] = await readSuppressions(server, project.id)
      expect(suppression).toMatchObject({ target: erasure.target, source_type: null, reason, source: 'receipt' })
      expect(others).toEqual([])
      const later = await readCompleted(server, (await send(server, project.id)).id)
      expect(later.deliveries).toMatchObject([{ status: 'failed', target: erasure.target, failure: { code: 'suppressed' } }])
      expect(JSON.stringify(later)).not.toMatch(/gone\.\w+@/i)
    },
  )

  it('is rejected with delivery_not_attempted before the first attempt', async () => {
    const { project } = await createFlow(server)
    const { deliveries } = await send(server, project.id, { send_at: new Date(Date.now() + 3_600_000).toISOString() })
    const response = await record(deliveries[0].id, { status: 'bounced' })
    expect([response.status, response.json.code]).toEqual([409, 'delivery_not_attempted'])
  })
})

it('returns inbound_not_supported for a provider that sends no delivery reports', async () => {
  const { project } = await createFlow(server)
  const path = `/v1/settings/projects/${project.id}/integrations/slack`
  await server.request('PUT', path, { json: { settings: {}, secrets: { token: 'xoxb-1' } } })
  const response = await server.request('POST', `${path}/rotate-inbound`)
  expect([response.status, response.json.code]).toEqual([409, 'inbound_not_supported'])
})
