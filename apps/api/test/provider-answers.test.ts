import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createFlow, readCompleted, send } from './support/resources.ts'
import { smtpSettingsFor, startSmtpAuthServer } from './support/smtp-auth-server.ts'
import { type SmtpReply, type SmtpSink, startSmtpSink } from './support/smtp-sink.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

const inside = 'mx7.corp.internal [10.9.8.7]'
const encryption = { FLOWPOST_ENCRYPTION_KEY: `k1:${Buffer.alloc(32, 1).toString('base64')}`, FLOWPOST_CAPTURE: 'off' }

let smtp: SmtpSink
let reply: SmtpReply

beforeEach(async () => {
  reply = 'accept'
  smtp = await startSmtpSink({ reply: () => reply })
})
afterEach(() => smtp[Symbol.asyncDispose]())

/** All that a tenant can read about a message and its flow. */
const everything = async (server: TestServer, flow: { id: string; project_id: string }, id: string) => {
  const path = `/v1/settings/projects/${flow.project_id}/flows/${flow.id}`
  const answers = [
    await server.request('GET', `/v1/notifications/${id}`),
    await server.request('GET', `/v1/notifications/${id}/deliveries`),
    await server.request('POST', `${path}/check`),
    await server.request('GET', path),
  ]
  return answers.map(({ text }) => text).join('\n')
}

describe('through a credential of the deployment, a tenant reads codes and words of ours, and nothing of its network', () => {
  const sharing = (url: string) =>
    startTestServer({
      env: { ...encryption, FLOWPOST_SMTP_URL: url, FLOWPOST_EMAIL_FROM: 'deployment@example.com', LOG_LEVEL: 'debug' },
    })

  it.each([
    ['accepted', { code: 250, text: `2.0.0 Ok: queued on ${inside}` }, 'sent', '250 2.0.0'],
    ['refused', { code: 550, text: `5.1.1 ${inside} says: no such user` }, 'failed', '5.1.1: The SMTP server'],
  ] as const)('of a message that was %s', async (_, answer, status, told) => {
    reply = answer
    await using server = await sharing(smtp.url)
    const { project, flow } = await createFlow(server)
    const notification = await readCompleted(server, (await send(server, project.id)).id)
    expect(notification.status).toBe(status)
    expect(notification.deliveries[0].attempts[0].provider_response).toContain(told)
    const read = await everything(server, flow, notification.id)
    for (const secret of ['corp.internal', '10.9.8.7', '127.0.0.1', new URL(smtp.url).port]) expect(read).not.toContain(secret)
    // The operator finds it in the log.
    if (status === 'failed') expect(server.logged.join('')).toContain(inside)
  })

  it('of a server that cannot be reached', async () => {
    await smtp[Symbol.asyncDispose]()
    await using server = await sharing(smtp.url)
    const { project, flow } = await createFlow(server)
    const { id } = await send(server, project.id)
    const first = await retried(server, id)
    expect(first.deliveries[0].failure).toMatchObject({ kind: 'provider', code: 'connection_refused', retryable: true })
    const read = await everything(server, flow, id)
    for (const secret of ['127.0.0.1', new URL(smtp.url).port, 'ECONN']) expect(read).not.toContain(secret)
  })
})

describe('through a credential of its own, a tenant reads what the server answered', () => {
  it('with each attempt, and words of ours in the failure', async () => {
    await using own = await startSmtpAuthServer()
    own.knows = () => false
    await using server = await startTestServer({ env: { ...encryption, FLOWPOST_EGRESS_ALLOW: '127.0.0.0/8' } })
    const { project } = await createFlow(server)
    const put = { settings: smtpSettingsFor(own), secrets: { password: 'secret-1' } }
    await server.request('PUT', `/v1/settings/projects/${project.id}/integrations/smtp`, { json: put })
    const { deliveries } = await readCompleted(server, (await send(server, project.id)).id)
    expect(deliveries[0].attempts[0].provider_response).toBe('5.1.1: 550 5.1.1 No such user here')
    expect(deliveries[0].failure).toEqual({
      kind: 'target',
      code: '5.1.1',
      detail: 'The SMTP server rejected the recipient. It replied 550 5.1.1.',
      retryable: false,
    })
  })
})

const retried = async (server: TestServer, id: string) => {
  for (;;) {
    const { json } = await server.request('GET', `/v1/notifications/${id}`)
    if (json.deliveries[0].failure) return json
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
