import { expect, it } from 'vitest'
import { createEndpoint, eventEnv } from '../support/event-endpoints.ts'
import { addFlow, createFlow, readCompleted } from '../support/resources.ts'
import { startTestServer } from '../support/test-server.ts'
import { waitForErasure } from './wait-for-erasure.ts'

const target = 'bob@example.com'

it('an erasure of one provider erases nothing of the deliveries to the same address through another provider', async () => {
  await using server = await startTestServer({ env: { ...eventEnv, FLOWPOST_CAPTURE: 'on' } })
  const { project, flow: smtp } = await createFlow(server, { override_target: true })
  const mailgun = await addFlow(server, project.id, { source_type: 'mailgun', target })
  await createEndpoint(server, project.id, { events: ['delivery.sent'] })
  const post = async (flow_id: string, fields: object = {}) => {
    const json = { project_id: project.id, flow_id, subject: 'Invoice', message: 'Ready', ...fields }
    return (await server.request('POST', '/v1/notifications', { json, headers: { 'Idempotency-Key': flow_id } })).json
  }
  const erased = await readCompleted(server, (await post(smtp.id, { target })).id)
  const other = await readCompleted(server, (await post(mailgun.id)).id)
  const readAll = async (delivery: { id: string }) => ({
    event: (await server.request('GET', '/v1/events')).json.data.find(({ data }: { data: { id: string } }) => data.id === delivery.id),
    captured: (await server.openOutbox(`/${delivery.id}/raw`)).text,
    log: (await server.request('GET', `/v1/notifications/${other.id}`)).json,
    replayed: await post(mailgun.id),
    history: (await server.request('GET', `/v1/settings/history?project_id=${project.id}`)).json.data,
  })
  const before = await readAll(other.deliveries[0])
  expect(before).toMatchObject({ event: { data: { target } }, captured: expect.stringContaining(target) })

  const { json } = await server.request('POST', '/v1/erasures', { json: { target: `smtp:${target}` } })
  expect(await waitForErasure(server, json.id)).toMatchObject({ deliveries: 1 })
  expect(await readAll(other.deliveries[0])).toEqual(before)
  expect(JSON.stringify((await readAll(erased.deliveries[0])).event)).not.toContain(target)
  expect((await server.openOutbox(`/${erased.deliveries[0].id}/raw`)).status).toBe(404)
})
