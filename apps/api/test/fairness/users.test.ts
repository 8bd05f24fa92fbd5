import { expect, it } from 'vitest'
import { createFlow, send } from '../support/resources.ts'
import { startSmtpSink } from '../support/smtp-sink.ts'
import { startTestServer } from '../support/test-server.ts'
import { startSilentServer } from './silent-server.ts'

it('a user’s messages to a provider that hangs do not keep another user’s from being sent, however many projects they are of', async () => {
  await using smtp = await startSmtpSink()
  await using silent = await startSilentServer()
  await using server = await startTestServer({
    env: { FLOWPOST_SMTP_URL: smtp.url, FLOWPOST_EMAIL_FROM: 'noreply@example.com', FLOWPOST_RATE_LIMIT: 'off', ...silent.env },
    sendTimeoutMs: 15_000,
  })
  const key = server.keys.bob
  const theirs = await server.request('POST', '/v1/settings/projects', { json: { name: 'theirs' }, key })
  const flow = { name: 'Operations', source_type: 'smtp', target: 'ops@example.com' }
  await server.request('POST', `/v1/settings/projects/${theirs.json.id}/flows`, { json: flow, key })

  // More than a worker has places, and no project more than may be of one.
  const targets = Array.from({ length: 40 }, (_, number) => `to-${number}@example.com`).join(';')
  const projects = []
  for (let made = 0; made < 8; made += 1) {
    const { project } = await createFlow(server, { source_type: 'mailgun', override_target: true })
    projects.push(project.id)
  }
  for (const id of projects) await send(server, id, { target: targets })
  const { status, json } = await server.request('POST', '/v1/notifications', {
    json: { project_id: theirs.json.id, subject: 's', message: 'm' },
    key,
  })
  expect(status).toBe(202)
  const { json: read } = await server.request('GET', `/v1/notifications/${json.id}?wait=8`, { key })
  expect(read.status).toBe('sent')
  await silent[Symbol.asyncDispose]()
})
