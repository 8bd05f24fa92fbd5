import { describe, expect, it } from 'vitest'
import { setJobsDue } from './support/delivery-jobs.ts'
import { createFlow, readCompleted, send } from './support/resources.ts'
import { startSmtpSink } from './support/smtp-sink.ts'
import { createTestDatabase } from './support/test-database.ts'
import { startTestServer } from './support/test-server.ts'

describe('a notification', () => {
  it('is sent to the SMTP server once, with recipient, subject and body', async () => {
    await using smtp = await startSmtpSink()
    await using server = await startTestServer({
      env: { FLOWPOST_SMTP_URL: smtp.url, FLOWPOST_EMAIL_FROM: 'Flowpost <noreply@example.com>' },
    })
    const { project } = await createFlow(server, { message_template: "Hi,\\n\\n'{{subject}}': {{message}}" })

    const accepted = await server.request('POST', '/v1/notifications', {
      json: { project_id: project.id, subject: 'Invoice 42', message: 'It is ready.' },
    })
    expect(accepted.status).toBe(202)
    expect(accepted.headers.get('location')).toBe(`/v1/notifications/${accepted.json.id}`)
    const notification = await readCompleted(server, accepted.json.id)

    expect(smtp.received).toHaveLength(1)
    expect(smtp.received[0]).toMatchObject({ from: 'noreply@example.com', to: ['ops@example.com'] })
    expect(smtp.received[0]?.raw).toContain('Subject: Invoice 42')
    expect(smtp.received[0]?.raw).toContain("Hi,\r\n\r\n'Invoice 42': It is ready.")
    expect(notification).toMatchObject({
      status: 'sent',
      deliveries: [{ status: 'sent', captured: false, attempt_count: 1, attempts: [{ number: 1, outcome: 'sent' }] }],
    })
  })

  it('is captured and shown in the outbox without credentials', async () => {
    await using server = await startTestServer()
    const { project } = await createFlow(server, {
      message_template: '<h1>{{subject}}</h1>{{message}}',
      message_template_type: 'text/html',
    })

    const accepted = await send(server, project.id, { subject: 'Invoice 43', message: 'a < b' })
    const notification = await readCompleted(server, accepted.id)
    const list = await server.openOutbox('')
    const [delivery] = notification.deliveries
    const source = await server.openOutbox(`/${delivery.id}/raw`)

    expect(notification.status).toBe('sent')
    expect(delivery).toMatchObject({ captured: true, attempts: [{ outcome: 'captured' }] })
    expect(list.text).toContain('Invoice 43')
    expect(source.text).toContain('Subject: Invoice 43')
    expect(source.text).toContain('<h1>Invoice 43</h1>a &lt; b')
  })

  it('is sent by the next process when the process that accepted it stops first', async () => {
    await using smtp = await startSmtpSink()
    const env = { FLOWPOST_SMTP_URL: smtp.url, FLOWPOST_EMAIL_FROM: 'noreply@example.com' }
    await using server = await startTestServer({ database: await createTestDatabase(), env })
    const { project } = await createFlow(server)
    const accepted = await send(server, project.id, { send_at: new Date(Date.now() + 3_600_000).toISOString() })
    await server.stop()
    expect(smtp.received).toHaveLength(0)

    await setJobsDue(server.database)
    const next = await server.restart()
    const notification = await readCompleted(next, accepted.id)
    await next.stop()

    expect(notification.status).toBe('sent')
    expect(smtp.received).toHaveLength(1)
  })
})
