import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addFlow, createFlow, readCompleted, send } from './support/resources.ts'
import { type SlackServer, startSlackServer } from './support/slack-server.ts'
import { type SmtpSink, startSmtpSink } from './support/smtp-sink.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

let smtp: SmtpSink
let slack: SlackServer
let server: TestServer

beforeAll(async () => {
  smtp = await startSmtpSink()
  slack = await startSlackServer()
  server = await startTestServer({
    env: { ...slack.env, FLOWPOST_SMTP_URL: smtp.url, FLOWPOST_EMAIL_FROM: 'noreply@example.com', FLOWPOST_CAPTURE: 'off' },
  })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await slack[Symbol.asyncDispose]()
  await smtp[Symbol.asyncDispose]()
})

/** Returns the decoded parts of the last mail, keyed by media type. */
const lastMail = (): Record<string, string> => {
  const raw = smtp.received.at(-1)?.raw ?? ''
  const parts = [...raw.matchAll(/^Content-Type: (text\/\w+);[\s\S]*?Transfer-Encoding: (\S+)\r\n\r\n([\s\S]*?)(?=\r\n--|$(?![\s\S]))/gim)]
  return Object.fromEntries(parts.map(([, type = '', encoding = '', body = '']) => [type, decode(body, encoding).replaceAll('\r\n', '\n')]))
}
const decode = (body: string, encoding: string): string => {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString()
  if (encoding !== 'quoted-printable') return body
  const bytes = body.replace(/=\r\n/g, '').replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString()
}

const sendThrough = async (flow: object, fields: object) => {
  const { project } = await createFlow(server, flow)
  return readCompleted(server, (await send(server, project.id, fields)).id)
}

const specialText = '{{subject}} {{message}} <script>alert(1)</script> <!channel> & *bold* \\n'

describe('the content of a message', () => {
  it('is sent unmodified by email and chat with the template {{message}}', async () => {
    const { project } = await createFlow(server)
    await addFlow(server, project.id, { source_type: 'slack', target: 'C024BE91L' })
    const { status } = await readCompleted(server, (await send(server, project.id, { message: specialText })).id)
    expect(status).toBe('sent')
    expect(lastMail()['text/plain']?.trimEnd()).toBe(specialText)
    expect(slack.received.at(-1)?.text).toBe(specialText)
  })

  it('is inserted as text: not expanded, and escaped in HTML mail and in chat', async () => {
    const fields = { subject: '{{message}}', message: specialText }
    const html = { message_template: '<p>{{subject}}: {{message}}</p>', message_template_type: 'text/html' }
    expect((await sendThrough(html, fields)).status).toBe('sent')
    const escaped = '{{subject}} {{message}} &lt;script&gt;alert(1)&lt;/script&gt; &lt;!channel&gt; &amp; *bold* \\n'
    expect(lastMail()['text/html']).toContain(`<p>{{message}}: ${escaped}</p>`)
    expect(lastMail()['text/plain']).toContain(`{{message}}: ${specialText}`)
    const chat = { source_type: 'slack', target: 'C024BE91M', message_template: '{{subject}}: {{message}}' }
    expect((await sendThrough(chat, fields)).status).toBe('sent')
    expect(slack.received.at(-1)?.text).toBe(`{{message}}: ${escaped}`)
  })

  it('can have 100,000 characters, but not one more', async () => {
    const message = '👩‍👩‍👧 line\n'.repeat(10_000).slice(0, 100_000)
    const characters = [...message].length
    const maximal = message + 'x'.repeat(100_000 - characters)
    expect([...maximal]).toHaveLength(100_000)
    expect((await sendThrough({}, { message: maximal })).status).toBe('sent')
    expect(lastMail()['text/plain']?.trimEnd()).toBe(maximal.toWellFormed().trimEnd())
    const { project } = await createFlow(server)
    const json = { project_id: project.id, subject: 'x', message: `${maximal}x` }
    const rejected = await server.request('POST', '/v1/notifications', { json })
    expect(rejected).toMatchObject({ status: 422, json: { errors: [{ pointer: '/message', code: 'too_long' }] } })
  })

  it.each([
    ['CR LF in the subject', { subject: 'a\r\nBcc: eve@example.com' }, '/subject'],
    ['LF in the subject', { subject: 'a\nb' }, '/subject'],
    ['a lone surrogate in the subject', { subject: 'a\ud800' }, '/subject'],
    ['a lone surrogate in the message', { message: '\udc00b' }, '/message'],
    ['U+0000 in the message', { message: 'a\u0000' }, '/message'],
  ])('is rejected and not sent with %s', async (_, fields, pointer) => {
    const { project } = await createFlow(server)
    const before = smtp.received.length
    const json = { project_id: project.id, subject: 'x', message: 'x', ...fields }
    const rejected = await server.request('POST', '/v1/notifications', { json })
    expect(rejected).toMatchObject({ status: 422, json: { errors: [{ pointer, code: 'invalid_text' }] } })
    expect((await server.request('GET', `/v1/notifications?project_id=${project.id}`)).json.data).toEqual([])
    expect(smtp.received).toHaveLength(before)
  })
})
