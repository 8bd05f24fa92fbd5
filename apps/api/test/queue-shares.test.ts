import { expect, it } from 'vitest'
import { createFlow, send } from './support/resources.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

const monthAhead = () => new Date(Date.now() + 29 * 24 * 3_600_000).toISOString()

const projectOf = async (server: TestServer, key: string): Promise<string> => {
  const { json } = await server.request('POST', '/v1/settings/projects', { json: { name: 'theirs' }, key })
  const flow = { name: 'Operations', source_type: 'smtp', target: 'ops@example.com' }
  expect((await server.request('POST', `/v1/settings/projects/${json.id}/flows`, { json: flow, key })).status).toBe(201)
  return json.id
}

it('what a user has scheduled fills neither the room of others nor the user’s own for what is due, also after a restart', async () => {
  await using first = await startTestServer({ env: { FLOWPOST_QUEUE_LIMIT: '10' } })
  const { project } = await createFlow(first)
  for (let sent = 0; sent < 5; sent += 1) await send(first, project.id, { send_at: monthAhead() })
  await first.stop()

  const server = await first.restart()
  const theirs = await projectOf(server, server.keys.bob)
  const ask = async (projectId: string, key: string, fields: object) =>
    (await server.request('POST', '/v1/notifications', { json: { project_id: projectId, subject: 's', message: 'm', ...fields }, key }))
      .json
  expect(await ask(project.id, server.keys.alice, { send_at: monthAhead() })).toMatchObject({ code: 'queue_full' })
  expect(await ask(project.id, server.keys.alice, {})).toMatchObject({ status: 'queued' })
  expect(await ask(theirs, server.keys.bob, {})).toMatchObject({ status: 'queued' })
  expect(await ask(theirs, server.keys.bob, { send_at: monthAhead() })).toMatchObject({ status: 'queued' })
  await server.stop()
})
