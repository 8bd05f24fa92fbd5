import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { followGuide } from '../support/follow-guide.ts'
import { hasCurl } from '../support/guide-pages.ts'
import { type MailgunServer, startMailgunServer } from '../support/mailgun-server.ts'
import { receiptEnvironment } from '../support/receipts.ts'
import { createFlow, readCompleted, send } from '../support/resources.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'

let mailgun: MailgunServer
let server: TestServer
beforeAll(async () => {
  mailgun = await startMailgunServer()
  server = await startTestServer({ env: receiptEnvironment, providers: [mailgun.provider] })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await mailgun[Symbol.asyncDispose]()
})

const readJson = (line: string | undefined) => JSON.parse(line ?? '')

describe('the guide mailgun.md', () => {
  it.skipIf(!hasCurl)('sends messages, and suppresses a recipient whose message bounces', async () => {
    let webhook: string | undefined
    const [integration, flow, completed, sent, printed, receipt, suppressions] = await followGuide(server, 'mailgun', {
      env: {
        MAILGUN_DOMAIN: mailgun.domain,
        MAILGUN_REGION: 'us',
        MAILGUN_SENDING_KEY: mailgun.sendingKey,
        MAILGUN_WEBHOOK_SIGNING_KEY: mailgun.signingKey,
        RECIPIENT: 'ada@example.com',
        PUBLIC_URL: server.url,
      },
      afterBlock: (_number, lines) => {
        const url = lines.find((line) => line.includes('/v1/inbound/mailgun/'))
        if (url === undefined || webhook !== undefined) return
        webhook = url
        mailgun.addWebhook(url)
      },
    })
    expect(integration).not.toContain(mailgun.sendingKey)
    expect(readJson(flow)).toMatchObject({ source_type: 'mailgun', target: 'ada@example.com' })
    expect(readJson(completed)).toMatchObject({ status: 'sent', deliveries: [{ captured: false }] })
    expect([sent, printed]).toEqual(['sent', webhook])
    expect(receipt).toContain('"status":"bounced"')
    expect(readJson(suppressions).data).toMatchObject([{ target: 'nobody@mg.example.com', reason: 'bounce', source: 'receipt' }])
    expect(mailgun.accepted.map(({ from, to, subject }) => [from, to, subject])).toEqual([
      ['"Billing" <billing@mg.example.com>', 'ada@example.com', 'Invoice 42'],
      ['"Billing" <billing@mg.example.com>', 'ada@example.com', 'Invoice 43'],
      ['"Billing" <billing@mg.example.com>', 'nobody@mg.example.com', 'Invoice 44'],
    ])
    expect(new Set(await mailgun.reported())).toEqual(new Set([200]))
  })

  it('says that a sending key cannot pass the check, and names the failures of wrong settings', async () => {
    const { project, flow } = await createFlow(server, { source_type: 'mailgun', target: 'ada@example.com' })
    const store = (domain: string, api_key: string) =>
      server.request('PUT', `/v1/settings/projects/${project.id}/integrations/mailgun`, {
        json: { settings: { domain, from: `billing@${domain}` }, secrets: { api_key } },
      })
    const readFailure = async () => (await readCompleted(server, (await send(server, project.id)).id)).deliveries[0].failure

    expect((await store(mailgun.domain, mailgun.sendingKey)).status).toBe(200)
    const check = await server.request('POST', `/v1/settings/projects/${project.id}/flows/${flow.id}/check`)
    expect(check.json).toMatchObject({ ok: false, checks: [{ name: 'authenticate', code: 'http_403' }] })
    expect(check.json.checks[0].detail).toContain('A domain sending key can send messages')

    expect((await store(mailgun.domain, 'wrong')).status).toBe(200)
    expect(await readFailure()).toMatchObject({ kind: 'credential', code: 'http_401' })
    expect((await store('other.example.com', mailgun.sendingKey)).status).toBe(200)
    expect(await readFailure()).toMatchObject({ kind: 'credential', code: 'http_404' })
  })
})
