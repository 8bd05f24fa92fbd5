import { expect, it } from 'vitest'
import { createFlow, send } from '../support/resources.ts'
import { startSmtpSink } from '../support/smtp-sink.ts'
import { startTestServer } from '../support/test-server.ts'
import { measureLatencies } from './measure.ts'
import { startSilentServer } from './silent-server.ts'

it('a message in another project does not wait for 2,000 queued deliveries', async () => {
  const { receivedCount } = await measureLatencies({
    bulk: 2_000,
    probes: 3,
    reply: () => ({ code: 250, text: 'ok', afterMs: 100 }),
  })
  expect(receivedCount).toBeLessThan(2_000)
})

it("another user's message is sent while the provider for eight projects does not respond", async () => {
  await using smtp = await startSmtpSink()
  await using silent = await startSilentServer()
  await using server = await startTestServer({
    env: { FLOWPOST_SMTP_URL: smtp.url, FLOWPOST_EMAIL_FROM: 'noreply@example.com', FLOWPOST_RATE_LIMIT: 'off', ...silent.env },
    sendTimeoutMs: 60_000,
  })
  const key = server.keys.bob
  const bobProject = await server.request('POST', '/v1/settings/projects', { json: { name: 'bob' }, key })
  const flow = { name: 'Operations', source_type: 'smtp', target: 'ops@example.com' }
  await server.request('POST', `/v1/settings/projects/${bobProject.json.id}/flows`, { json: flow, key })

  // Together, the projects exceed a worker's concurrency, although none of them exceeds the limit for a project.
  const targets = Array.from({ length: 40 }, (_, number) => `to-${number}@example.com`).join(';')
  const projectIds: string[] = []
  for (let count = 0; count < 8; count += 1)
    projectIds.push((await createFlow(server, { source_type: 'mailgun', override_target: true })).project.id)
  for (const id of projectIds) await send(server, id, { target: targets })
  const { status, json } = await server.request('POST', '/v1/notifications', {
    json: { project_id: bobProject.json.id, subject: 's', message: 'm' },
    key,
  })
  expect(status).toBe(202)
  const completed = await server.request('GET', `/v1/notifications/${json.id}?wait=30`, { key })
  expect(completed.json.status).toBe('sent')
  await silent[Symbol.asyncDispose]()
})
