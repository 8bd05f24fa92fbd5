import { expect, it } from 'vitest'
import { createFlow, send } from './support/resources.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

const nextMonth = () => new Date(Date.now() + 29 * 24 * 3_600_000).toISOString()

const createProjectWithFlow = async (server: TestServer, key: string): Promise<string> => {
  const { json } = await server.request('POST', '/v1/settings/projects', { json: { name: "bob's" }, key })
  const flow = { name: 'Operations', source_type: 'smtp', target: 'ops@example.com' }
  expect((await server.request('POST', `/v1/settings/projects/${json.id}/flows`, { json: flow, key })).status).toBe(201)
  return json.id
}

it('counts scheduled messages per user and apart from due ones, also after a restart', async () => {
  await using first = await startTestServer({ env: { FLOWPOST_QUEUE_LIMIT: '10' } })
  const { project } = await createFlow(first)
  for (let sent = 0; sent < 5; sent += 1) await send(first, project.id, { send_at: nextMonth() })
  await first.stop()

  const server = await first.restart()
  const bobsProjectId = await createProjectWithFlow(server, server.keys.bob)
  const sendTo = async (projectId: string, key: string, fields: object) =>
    (await server.request('POST', '/v1/notifications', { json: { project_id: projectId, subject: 's', message: 'm', ...fields }, key }))
      .json
  expect(await sendTo(project.id, server.keys.alice, { send_at: nextMonth() })).toMatchObject({ code: 'queue_full' })
  expect(await sendTo(project.id, server.keys.alice, {})).toMatchObject({ status: 'queued' })
  expect(await sendTo(bobsProjectId, server.keys.bob, {})).toMatchObject({ status: 'queued' })
  expect(await sendTo(bobsProjectId, server.keys.bob, { send_at: nextMonth() })).toMatchObject({ status: 'queued' })
  await server.stop()
})
