import { describe, expect, inject, it } from 'vitest'
import { onDatabase } from './support/direct-database.ts'
import { addFlow, createFlow, readCompleted, send, waitForDeliveryStatus } from './support/resources.ts'
import { loopbackEgress, type SmtpAuthServer, smtpSettingsFor, startSmtpAuthServer } from './support/smtp-auth-server.ts'
import { startSmtpSink } from './support/smtp-sink.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

const encryption = { FLOWPOST_ENCRYPTION_KEY: `k1:${Buffer.alloc(32, 1).toString('base64')}`, FLOWPOST_CAPTURE: 'off' }

const setSmtp = async (server: TestServer, projectId: string, smtp: SmtpAuthServer, password: string | undefined, changes: object = {}) => {
  const response = await server.request('PUT', `/v1/settings/projects/${projectId}/integrations/smtp`, {
    json: { settings: smtpSettingsFor(smtp, changes), ...(password === undefined ? {} : { secrets: { password } }) },
  })
  expect(response.status, response.text).toBe(200)
}

const deleteSmtp = async (server: TestServer, projectId: string) =>
  expect((await server.request('DELETE', `/v1/settings/projects/${projectId}/integrations/smtp`)).status).toBe(204)

const sendAndComplete = async (server: TestServer, projectId: string) => readCompleted(server, (await send(server, projectId)).id)

const inOneHour = (): string => new Date(Date.now() + 3_600_000).toISOString()

/** Restarts the server with every job due now. */
const restartWithJobsDue = async (server: TestServer): Promise<TestServer> => {
  await server.stop()
  await onDatabase(server.database, (query) => query('update delivery_jobs set due_at = now()'))
  return server.restart()
}

describe('messages of a project with its own credentials', () => {
  it("are sent with those credentials, while other projects use the deployment's", async () => {
    await using projectSmtp = await startSmtpAuthServer()
    await using sharedSmtp = await startSmtpSink()
    await using server = await startTestServer({
      env: { ...encryption, FLOWPOST_SMTP_URL: sharedSmtp.url, FLOWPOST_EMAIL_FROM: 'deployment@example.com' },
      egress: loopbackEgress,
    })
    const { project } = await createFlow(server)
    const { project: otherProject } = await createFlow(server)
    await setSmtp(server, project.id, projectSmtp, 'secret-1')

    expect((await sendAndComplete(server, project.id)).status).toBe('sent')
    expect((await sendAndComplete(server, otherProject.id)).status).toBe('sent')
    expect(projectSmtp.received).toMatchObject([{ user: 'billing', password: 'secret-1', from: 'billing@example.com' }])
    expect(sharedSmtp.received).toMatchObject([{ from: 'deployment@example.com' }])
  })

  it('are sent with a changed credential from the next message on', async () => {
    await using smtp = await startSmtpAuthServer()
    await using server = await startTestServer({ env: encryption, egress: loopbackEgress })
    const { project } = await createFlow(server)
    const passwords: string[] = []
    for (const password of ['secret-1', 'secret-2', undefined, 'secret-3']) {
      await setSmtp(server, project.id, smtp, password)
      expect((await sendAndComplete(server, project.id)).status).toBe('sent')
      passwords.push(smtp.received.at(-1)?.password ?? '')
    }
    expect(passwords).toEqual(['secret-1', 'secret-2', 'secret-2', 'secret-3'])
  })

  it("are rejected without a credential if the deployment's credentials are not shared with the user", async () => {
    await using sharedSmtp = await startSmtpSink()
    await using server = await startTestServer({
      env: {
        ...encryption,
        FLOWPOST_SMTP_URL: sharedSmtp.url,
        FLOWPOST_EMAIL_FROM: 'deployment@example.com',
        FLOWPOST_SHARED_CREDENTIALS: 'bob, carol',
      },
    })
    const { project } = await createFlow(server)
    const rejected = await server.request('POST', '/v1/notifications', { json: { project_id: project.id, subject: 'x', message: 'x' } })
    expect([rejected.status, rejected.json.code]).toEqual([409, 'integration_missing'])

    const key = server.keys.bob
    const bobProject = await server.request('POST', '/v1/settings/projects', { key, json: { name: 'shared' } })
    await server.request('POST', `/v1/settings/projects/${bobProject.json.id}/flows`, {
      key,
      json: { name: 'x', source_type: 'smtp', target: 'ops@example.com' },
    })
    const accepted = await server.request('POST', '/v1/notifications', {
      key,
      json: { project_id: bobProject.json.id, subject: 'x', message: 'x' },
    })
    expect(accepted.status).toBe(202)
    await sharedSmtp.waitForMessages(1)
  })

  it('fail and are not captured when the credential is removed before they are due', async () => {
    await using smtp = await startSmtpAuthServer()
    await using server = await startTestServer({ env: { ...encryption, FLOWPOST_CAPTURE: 'missing' }, egress: loopbackEgress })
    const { project } = await createFlow(server)
    await setSmtp(server, project.id, smtp, 'secret-1')
    const { id } = await send(server, project.id, { send_at: inOneHour() })
    await deleteSmtp(server, project.id)
    // A message accepted now has no credential, so FLOWPOST_CAPTURE decides.
    expect((await sendAndComplete(server, project.id)).deliveries[0]).toMatchObject({ status: 'sent', captured: true })

    await using next = await restartWithJobsDue(server)
    const { status, deliveries } = await readCompleted(next, id)
    expect(status).toBe('failed')
    expect(deliveries[0]).toMatchObject({
      status: 'failed',
      captured: false,
      attempt_count: 1,
      failure: { kind: 'credential', code: 'integration_missing', retryable: false },
    })
    expect(smtp.received).toHaveLength(0)
  })

  it("use the deployment's credential in place of a removed one only if a user retries them", async () => {
    await using sharedSmtp = await startSmtpSink()
    await using projectSmtp = await startSmtpAuthServer()
    await using server = await startTestServer({
      env: { ...encryption, FLOWPOST_SMTP_URL: sharedSmtp.url, FLOWPOST_EMAIL_FROM: 'deployment@example.com' },
      egress: loopbackEgress,
    })
    const { project } = await createFlow(server)
    const { project: otherProject } = await createFlow(server)
    const scheduled = { send_at: inOneHour() }
    // No server listens on this port, so the first message is retried.
    await setSmtp(server, project.id, projectSmtp, 'secret-1', { port: 9 })
    const pending = [await send(server, project.id), await send(server, project.id, scheduled)]
    await waitForDeliveryStatus(server, pending[0].id, 'retrying')
    const ofOtherProject = await send(server, otherProject.id, scheduled)
    await deleteSmtp(server, project.id)
    expect((await sendAndComplete(server, project.id)).status).toBe('sent')
    expect(sharedSmtp.received).toHaveLength(1)

    await using next = await restartWithJobsDue(server)
    for (const { id } of pending)
      expect((await readCompleted(next, id)).deliveries[0]).toMatchObject({
        status: 'failed',
        failure: { kind: 'credential', code: 'integration_missing', retryable: false },
      })
    expect((await readCompleted(next, ofOtherProject.id)).status).toBe('sent')
    expect(sharedSmtp.received).toHaveLength(2)
    await next.request('POST', `/v1/notifications/${pending[1].id}/retry`)
    expect((await readCompleted(next, pending[1].id)).status).toBe('sent')
    expect(sharedSmtp.received).toHaveLength(3)
  })

  it('are sent with a new credential that replaces a removed one before they are due', async () => {
    await using projectSmtp = await startSmtpAuthServer()
    await using server = await startTestServer({ env: encryption, egress: loopbackEgress })
    const { project } = await createFlow(server)
    await setSmtp(server, project.id, projectSmtp, 'secret-1')
    const { id } = await send(server, project.id, { send_at: inOneHour() })
    await deleteSmtp(server, project.id)
    await setSmtp(server, project.id, projectSmtp, 'secret-2')
    expect((await sendAndComplete(server, project.id)).status).toBe('sent')
    await using next = await restartWithJobsDue(server)
    expect((await readCompleted(next, id)).status).toBe('sent')
    expect(projectSmtp.received).toMatchObject([{ password: 'secret-2' }, { password: 'secret-2' }])
  })

  it('fail without exposing the password when the SMTP server rejects the login', async () => {
    await using smtp = await startSmtpAuthServer()
    smtp.acceptsPassword = () => false
    await using server = await startTestServer({ env: encryption, egress: loopbackEgress })
    const { project } = await createFlow(server)
    await setSmtp(server, project.id, smtp, 'secret-marker')
    const notification = await sendAndComplete(server, project.id)

    expect(notification.deliveries[0].failure).toMatchObject({ kind: 'credential', retryable: false })
    expect(JSON.stringify(notification)).not.toContain('secret-marker')
  })

  it('cannot reach the loopback interface unless the deployment allows it', async () => {
    await using smtp = await startSmtpAuthServer()
    await using server = await startTestServer({ env: encryption })
    const { project } = await createFlow(server)
    await setSmtp(server, project.id, smtp, 'secret-1')
    const { deliveries } = await sendAndComplete(server, project.id)
    expect(deliveries[0].failure.kind).toBe('credential')
    expect(smtp.received).toHaveLength(0)
  })

  it("are captured with their project's settings if FLOWPOST_CAPTURE is on, and need no credential", async () => {
    await using smtp = await startSmtpAuthServer()
    await using server = await startTestServer({ env: { ...encryption, FLOWPOST_CAPTURE: 'on' }, egress: loopbackEgress })
    const { project } = await createFlow(server)
    await addFlow(server, project.id, { target: 'second@example.com' })
    await setSmtp(server, project.id, smtp, 'secret-1')
    const { deliveries } = await sendAndComplete(server, project.id)
    const source = await server.openOutbox(`/${deliveries[0].id}/raw`)
    expect(source.text).toContain('From: Billing <billing@example.com>')
    expect(smtp.received).toHaveLength(0)

    await send(server, project.id, { send_at: inOneHour() })
    await deleteSmtp(server, project.id)
    await server.stop()
    const query = "select captured, credential_removed from deliveries where status = 'queued'"
    const pending = await onDatabase(server.database, (on) => on(query))
    expect(pending).toEqual(Array(2).fill({ captured: true, credential_removed: false }))
  })

  it.runIf(inject('postgres'))('are sent with the latest credential by several processes', async () => {
    await using smtp = await startSmtpAuthServer()
    await using server = await startTestServer({ env: { ...encryption, FLOWPOST_ROLE: 'api' }, egress: loopbackEgress })
    const { database, keys } = server
    const options = { env: { ...encryption, FLOWPOST_ROLE: 'worker' }, egress: loopbackEgress, database, keys }
    const workers = [await startTestServer(options), await startTestServer(options)]
    const { project } = await createFlow(server)
    for (let round = 0; round < 5; round += 1) {
      await setSmtp(server, project.id, smtp, `secret-${round}`)
      const before = smtp.received.length
      const accepted = await Promise.all(Array.from({ length: 10 }, () => send(server, project.id)))
      for (const { id } of accepted) expect((await readCompleted(server, id)).status).toBe('sent')
      expect(new Set(smtp.received.slice(before).map(({ password }) => password))).toEqual(new Set([`secret-${round}`]))
    }
    await deleteSmtp(server, project.id)
    const rejected = await server.request('POST', '/v1/notifications', { json: { project_id: project.id, subject: 'x', message: 'x' } })
    expect([rejected.status, rejected.json.code]).toEqual([409, 'integration_missing'])
    for (const worker of workers) await worker.stop()
    expect(smtp.received).toHaveLength(50)
  })
})
