import { expect, it } from 'vitest'
import { dump } from '../support/direct-database.ts'
import { addFlow, createFlow, readCompleted, send } from '../support/resources.ts'
import { startTestServer } from '../support/test-server.ts'
import { waitForErasure } from './wait-for-erasure.ts'

const address = 'bob_smith@example.com'
const message = `${address} signed up: https://x.example/?to=${address}&new=1`

it('leaves no encoded address in messages to other recipients, nor in captured messages', async () => {
  await using server = await startTestServer({ env: { FLOWPOST_CAPTURE: 'on' } })
  const chat = { target: 'ops', message_template: 'New: {{message}}' }
  const { project } = await createFlow(server, { source_type: 'discord', ...chat })
  for (const source_type of ['teams', 'slack', 'webhook'])
    await addFlow(server, project.id, { source_type, ...chat, target: source_type === 'slack' ? 'C024BE91L' : 'ops' })
  await addFlow(server, project.id, { message_template: '<p>{{message}}</p>', message_template_type: 'text/html' })
  await readCompleted(server, (await send(server, project.id, { message })).id)
  await send(server, project.id, { message, send_at: new Date(Date.now() + 3_600_000).toISOString() })

  const { status, json } = await server.request('POST', '/v1/erasures', { json: { target: address } })
  expect(status).toBe(202)
  const { target } = await waitForErasure(server, json.id)
  await server.stop()
  const rows = await dump(server.database)
  expect(rows.filter((row) => /bob.{0,3}smith/i.test(row))).toEqual([])
  expect(rows.filter((row) => row.startsWith('public.captured_messages '))).toEqual([])
  const bodies = rows.filter((row) => row.startsWith('public.message_bodies '))
  expect(bodies).toHaveLength(10)
  for (const row of bodies) expect(row).toContain(target.slice(0, address.length))
})

it('leaves no encoded internationalized address in a message to another recipient', async () => {
  await using server = await startTestServer({ env: { FLOWPOST_CAPTURE: 'on' } })
  const { project } = await createFlow(server)
  const url = `https://x.example/?to=${encodeURIComponent('josé@example.com')}`
  await readCompleted(server, (await send(server, project.id, { message: `New: ${url}`, reference: url, metadata: { url } })).id)
  const { json } = await server.request('POST', '/v1/erasures', { json: { target: 'josé@example.com' } })
  await waitForErasure(server, json.id)
  await server.stop()
  expect((await dump(server.database)).filter((row) => /jos%C3%A9/i.test(row))).toEqual([])
})
