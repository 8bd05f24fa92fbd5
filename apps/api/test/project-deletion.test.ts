import { expect, it } from 'vitest'
import { createFlow, send } from './resources.ts'
import { startSmtpSink } from './smtp-sink.ts'
import { startTestServer } from './test-server.ts'

const inFlight = 400
const maxDelayMs = 1_000

it('deleting a project with hundreds of messages in flight does not delay the messages of other users', async () => {
  // What goes to the project that is deleted is never answered.
  await using smtp = await startSmtpSink({ reply: (_number, { to }) => (to[0]?.startsWith('slow') ? 'stall' : 'accept') })
  const env = {
    FLOWPOST_CAPTURE: 'off',
    FLOWPOST_SMTP_URL: smtp.url,
    FLOWPOST_EMAIL_FROM: 'a@example.com',
    FLOWPOST_RATE_LIMIT: 'off',
  }
  await using server = await startTestServer({ env, sendTimeoutMs: 5_000 })
  const { project } = await createFlow(server, { override_target: true })
  const target = Array.from({ length: 100 }, (_, number) => `slow${number}@example.com`).join(';')
  for (let sent = 0; sent < inFlight; sent += 100) await send(server, project.id, { target })
  await smtp.arrived(1)

  const key = server.keys.bob
  const { json: theirs } = await server.request('POST', '/v1/settings/projects', { json: { name: 'theirs' }, key })
  const flow = { name: 'Operations', source_type: 'smtp', target: 'ops@example.com' }
  await server.request('POST', `/v1/settings/projects/${theirs.id}/flows`, { json: flow, key })
  const sendTheirs = async (): Promise<number> => {
    const startedMs = performance.now()
    const { json } = await server.request('POST', '/v1/notifications', { json: { project_id: theirs.id, subject: 's', message: 'm' }, key })
    const { json: done } = await server.request('GET', `/v1/notifications/${json.id}?wait=20`, { key })
    expect(done.status).toBe('sent')
    return performance.now() - startedMs
  }
  await sendTheirs()
  const deleting = server.request('DELETE', `/v1/settings/projects/${project.id}`)
  const delays: number[] = []
  for (let sent = 0; sent < 10; sent += 1) delays.push(await sendTheirs())
  expect((await deleting).status).toBe(204)
  expect(Math.max(...delays)).toBeLessThan(maxDelayMs)
})
