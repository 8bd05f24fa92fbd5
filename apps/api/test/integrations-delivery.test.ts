import { describe, expect, inject, it } from 'vitest'
import { addFlow, createFlow, readCompleted, send, waitForDeliveryStatus } from './support/resources.ts'
import { loopbackEgress, type SmtpAuthServer, smtpSettingsFor, startSmtpAuthServer } from './support/smtp-auth-server.ts'
import { startSmtpSink } from './support/smtp-sink.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

const encryption = { FLOWPOST_ENCRYPTION_KEY: `k1:${Buffer.alloc(32, 1).toString('base64')}`, FLOWPOST_CAPTURE: 'off' }

const setSmtp = async (server: TestServer, projectId: string, smtp: SmtpAuthServer, password: string | undefined, changes: object = {}) => {
  const answer = await server.request('PUT', `/v1/settings/projects/${projectId}/integrations/smtp`, {
    json: { settings: smtpSettingsFor(smtp, changes), ...(password === undefined ? {} : { secrets: { password } }) },
  })
  expect(answer.status, answer.text).toBe(200)
}

const sendAndSettle = async (server: TestServer, projectId: string) => readCompleted(server, (await send(server, projectId)).id)

describe('messages of a project with credentials of its own', () => {
  it('are sent with those, and those of other projects with the deployment’s', async () => {
    await using own = await startSmtpAuthServer()
    await using shared = await startSmtpSink()
    await using server = await startTestServer({
      env: { ...encryption, FLOWPOST_SMTP_URL: shared.url, FLOWPOST_EMAIL_FROM: 'deployment@example.com' },
      egress: loopbackEgress,
    })
    const { project } = await createFlow(server)
    const { project: other } = await createFlow(server)
    await setSmtp(server, project.id, own, 'secret-1')

    expect((await sendAndSettle(server, project.id)).status).toBe('sent')
    expect((await sendAndSettle(server, other.id)).status).toBe('sent')
    expect(own.received).toMatchObject([{ user: 'billing', password: 'secret-1', from: 'billing@example.com' }])
    expect(shared.received).toMatchObject([{ from: 'deployment@example.com' }])
  })

  it('are sent with a changed credential at once, by the next message', async () => {
    await using smtp = await startSmtpAuthServer()
    await using server = await startTestServer({ env: encryption, egress: loopbackEgress })
    const { project } = await createFlow(server)
    const used: string[] = []
    for (const password of ['secret-1', 'secret-2', undefined, 'secret-3']) {
      await setSmtp(server, project.id, smtp, password)
      expect((await sendAndSettle(server, project.id)).status).toBe('sent')
      used.push(smtp.received.at(-1)?.password ?? '')
    }
    expect(used).toEqual(['secret-1', 'secret-2', 'secret-2', 'secret-3'])
  })

  it('are refused at acceptance when there is no credential, and its deployment’s are not shared with the user', async () => {
    await using shared = await startSmtpSink()
    await using server = await startTestServer({
      env: {
        ...encryption,
        FLOWPOST_SMTP_URL: shared.url,
        FLOWPOST_EMAIL_FROM: 'deployment@example.com',
        FLOWPOST_SHARED_CREDENTIALS: 'bob, carol',
      },
    })
    const { project } = await createFlow(server)
    const refused = await server.request('POST', '/v1/notifications', { json: { project_id: project.id, subject: 'x', message: 'x' } })
    expect([refused.status, refused.json.code]).toEqual([409, 'integration_missing'])

    const key = server.keys.bob
    const mine = await server.request('POST', '/v1/settings/projects', { key, json: { name: 'shared' } })
    await server.request('POST', `/v1/settings/projects/${mine.json.id}/flows`, {
      key,
      json: { name: 'x', source_type: 'smtp', target: 'ops@example.com' },
    })
    const accepted = await server.request('POST', '/v1/notifications', {
      key,
      json: { project_id: mine.json.id, subject: 'x', message: 'x' },
    })
    expect(accepted.status).toBe(202)
    await shared.arrived(1)
  })

  it('fail, and are not captured, when the credential is removed while they wait', async () => {
    await using smtp = await startSmtpAuthServer()
    await using server = await startTestServer({ env: { ...encryption, FLOWPOST_CAPTURE: 'missing' }, egress: loopbackEgress })
    const { project } = await createFlow(server)
    await setSmtp(server, project.id, smtp, 'secret-1')
    const waiting = await send(server, project.id, { send_at: new Date(Date.now() + 1_500).toISOString() })
    expect((await server.request('DELETE', `/v1/settings/projects/${project.id}/integrations/smtp`)).status).toBe(204)

    const { status, deliveries } = await readCompleted(server, waiting.id)
    expect(status).toBe('failed')
    expect(deliveries[0]).toMatchObject({
      status: 'failed',
      captured: false,
      attempt_count: 1,
      failure: { kind: 'credential', code: 'integration_missing', retryable: false },
    })
    expect(smtp.received).toHaveLength(0)
    // What is accepted from now on has no credential, and is captured as the deployment says.
    expect((await sendAndSettle(server, project.id)).deliveries[0]).toMatchObject({ status: 'sent', captured: true })
  })

  it('never fall back to the deployment’s credential when their own is removed, unless somebody retries them', async () => {
    await using shared = await startSmtpSink()
    await using own = await startSmtpAuthServer()
    await using server = await startTestServer({
      env: { ...encryption, FLOWPOST_SMTP_URL: shared.url, FLOWPOST_EMAIL_FROM: 'deployment@example.com' },
      egress: loopbackEgress,
    })
    const { project } = await createFlow(server)
    const { project: other } = await createFlow(server)
    const later = { send_at: new Date(Date.now() + 1_500).toISOString() }
    // Nothing listens there: the message that was tried already is retried.
    await setSmtp(server, project.id, own, 'secret-1', { port: 9 })
    const waiting = [await send(server, project.id), await send(server, project.id, later)]
    await waitForDeliveryStatus(server, waiting[0].id, 'retrying')
    const unconcerned = await send(server, other.id, later)
    expect((await server.request('DELETE', `/v1/settings/projects/${project.id}/integrations/smtp`)).status).toBe(204)

    for (const { id } of waiting)
      expect((await readCompleted(server, id)).deliveries[0]).toMatchObject({
        status: 'failed',
        failure: { kind: 'credential', code: 'integration_missing', retryable: false },
      })
    expect((await readCompleted(server, unconcerned.id)).status).toBe('sent')
    expect(shared.received).toHaveLength(1)
    expect((await sendAndSettle(server, project.id)).status).toBe('sent')
    await server.request('POST', `/v1/notifications/${waiting[1].id}/retry`)
    expect((await readCompleted(server, waiting[1].id)).status).toBe('sent')
    expect(shared.received).toHaveLength(3)
  })

  it('are sent with another credential that replaces the removed one before their turn', async () => {
    await using own = await startSmtpAuthServer()
    await using server = await startTestServer({ env: encryption, egress: loopbackEgress })
    const { project } = await createFlow(server)
    await setSmtp(server, project.id, own, 'secret-1')
    const { id } = await send(server, project.id, { send_at: new Date(Date.now() + 1_500).toISOString() })
    await server.request('DELETE', `/v1/settings/projects/${project.id}/integrations/smtp`)
    await setSmtp(server, project.id, own, 'secret-2')
    expect((await readCompleted(server, id)).status).toBe('sent')
    expect(own.received).toMatchObject([{ password: 'secret-2' }])
  })

  it('fail for the login that the server refuses, without the password in what is told', async () => {
    await using smtp = await startSmtpAuthServer()
    smtp.accept = () => false
    await using server = await startTestServer({ env: encryption, egress: loopbackEgress })
    const { project } = await createFlow(server)
    await setSmtp(server, project.id, smtp, 'secret-marker')
    const notification = await sendAndSettle(server, project.id)

    expect(notification.deliveries[0].failure).toMatchObject({ kind: 'credential', retryable: false })
    expect(JSON.stringify(notification)).not.toContain('secret-marker')
  })

  it('cannot reach the machine that the server runs on, unless the deployment allows it', async () => {
    await using smtp = await startSmtpAuthServer()
    await using server = await startTestServer({ env: encryption })
    const { project } = await createFlow(server)
    await setSmtp(server, project.id, smtp, 'secret-1')
    const { deliveries } = await sendAndSettle(server, project.id)
    expect(deliveries[0].failure.kind).toBe('credential')
    expect(smtp.received).toHaveLength(0)
  })

  it('are captured with the settings of their project when everything is captured', async () => {
    await using smtp = await startSmtpAuthServer()
    await using server = await startTestServer({ env: { ...encryption, FLOWPOST_CAPTURE: 'on' }, egress: loopbackEgress })
    const { project } = await createFlow(server)
    await addFlow(server, project.id, { target: 'second@example.com' })
    await setSmtp(server, project.id, smtp, 'secret-1')
    const { deliveries } = await sendAndSettle(server, project.id)
    const source = await server.openOutbox(`/${deliveries[0].id}/raw`)
    expect(source.text).toContain('From: Billing <billing@example.com>')
    expect(smtp.received).toHaveLength(0)
  })

  it.runIf(inject('postgres'))('are sent with what was set last by each of several processes', async () => {
    await using smtp = await startSmtpAuthServer()
    await using server = await startTestServer({ env: { ...encryption, FLOWPOST_ROLE: 'api' }, egress: loopbackEgress })
    const { database, keys } = server
    const worker = { env: { ...encryption, FLOWPOST_ROLE: 'worker' }, egress: loopbackEgress, database, keys }
    const workers = [await startTestServer(worker), await startTestServer(worker)]
    const { project } = await createFlow(server)
    for (let round = 0; round < 5; round += 1) {
      await setSmtp(server, project.id, smtp, `secret-${round}`)
      const before = smtp.received.length
      const accepted = await Promise.all(Array.from({ length: 10 }, () => send(server, project.id)))
      for (const { id } of accepted) expect((await readCompleted(server, id)).status).toBe('sent')
      expect(new Set(smtp.received.slice(before).map(({ password }) => password))).toEqual(new Set([`secret-${round}`]))
    }
    await server.request('DELETE', `/v1/settings/projects/${project.id}/integrations/smtp`)
    const refused = await server.request('POST', '/v1/notifications', { json: { project_id: project.id, subject: 'x', message: 'x' } })
    expect([refused.status, refused.json.code]).toEqual([409, 'integration_missing'])
    for (const each of workers) await each.stop()
    expect(smtp.received).toHaveLength(50)
  })
})
