import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createFlow, readCompleted, send, waitForDeliveryStatus } from './support/resources.ts'
import { smtpSettingsFor, startSmtpAuthServer } from './support/smtp-auth-server.ts'
import { type SmtpReply, type SmtpSink, startSmtpSink } from './support/smtp-sink.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

const internalHost = 'mx7.corp.internal [10.9.8.7]'
const environment = { FLOWPOST_ENCRYPTION_KEY: `k1:${Buffer.alloc(32, 1).toString('base64')}`, FLOWPOST_CAPTURE: 'off' }

let smtp: SmtpSink
let reply: SmtpReply

beforeEach(async () => {
  reply = 'accept'
  smtp = await startSmtpSink({ reply: () => reply })
})
afterEach(() => smtp[Symbol.asyncDispose]())

/** Returns every response that a tenant can read about a message and its flow. */
const readEverything = async (server: TestServer, flow: { id: string; project_id: string }, id: string) => {
  const path = `/v1/settings/projects/${flow.project_id}/flows/${flow.id}`
  const responses = [
    await server.request('GET', `/v1/notifications/${id}`),
    await server.request('GET', `/v1/notifications/${id}/deliveries`),
    await server.request('POST', `${path}/check`),
    await server.request('GET', path),
  ]
  return responses.map(({ text }) => text).join('\n')
}

describe("with the deployment's credentials", () => {
  const startSharedServer = (url: string) =>
    startTestServer({
      env: { ...environment, FLOWPOST_SMTP_URL: url, FLOWPOST_EMAIL_FROM: 'deployment@example.com', LOG_LEVEL: 'debug' },
    })

  it.each([
    ['accepted', { code: 250, text: `2.0.0 Ok: queued on ${internalHost}` }, 'sent', '250 2.0.0'],
    ['rejected', { code: 550, text: `5.1.1 ${internalHost} says: no such user` }, 'failed', '5.1.1: The SMTP server'],
  ] as const)('shows tenants the reply code but no network details of a message that was %s', async (_, smtpReply, status, response) => {
    reply = smtpReply
    await using server = await startSharedServer(smtp.url)
    const { project, flow } = await createFlow(server)
    const notification = await readCompleted(server, (await send(server, project.id)).id)
    expect(notification.status).toBe(status)
    expect(notification.deliveries[0].attempts[0].provider_response).toContain(response)
    const visible = await readEverything(server, flow, notification.id)
    for (const secret of ['corp.internal', '10.9.8.7', '127.0.0.1', new URL(smtp.url).port]) expect(visible).not.toContain(secret)
    // Operators find the details in the log.
    if (status === 'failed') expect(server.logged.join('')).toContain(internalHost)
  })

  it('shows tenants no network details of an unreachable server', async () => {
    await smtp[Symbol.asyncDispose]()
    await using server = await startSharedServer(smtp.url)
    const { project, flow } = await createFlow(server)
    const { id } = await send(server, project.id)
    const retrying = await waitForDeliveryStatus(server, id, 'retrying')
    expect(retrying.deliveries[0].failure).toMatchObject({ kind: 'provider', code: 'connection_refused', retryable: true })
    const visible = await readEverything(server, flow, id)
    for (const secret of ['127.0.0.1', new URL(smtp.url).port, 'ECONN']) expect(visible).not.toContain(secret)
  })
})

describe("with a project's credentials", () => {
  it("shows the SMTP server's reply on the attempt and a fixed text in the failure", async () => {
    await using projectSmtp = await startSmtpAuthServer()
    projectSmtp.acceptsRecipient = () => false
    await using server = await startTestServer({ env: { ...environment, FLOWPOST_EGRESS_ALLOW: '127.0.0.0/8' } })
    const { project } = await createFlow(server)
    const integration = { settings: smtpSettingsFor(projectSmtp), secrets: { password: 'secret-1' } }
    await server.request('PUT', `/v1/settings/projects/${project.id}/integrations/smtp`, { json: integration })
    const { deliveries } = await readCompleted(server, (await send(server, project.id)).id)
    expect(deliveries[0].attempts[0].provider_response).toBe('5.1.1: 550 5.1.1 No such user here')
    expect(deliveries[0].failure).toEqual({
      kind: 'target',
      code: '5.1.1',
      detail: 'The SMTP server rejected the recipient. The server replied 550 5.1.1.',
      retryable: false,
    })
  })
})
