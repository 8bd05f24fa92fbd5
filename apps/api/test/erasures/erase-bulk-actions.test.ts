import { expect, it } from 'vitest'
import { onDatabase } from '../support/direct-database.ts'
import { createFlow } from '../support/resources.ts'
import { startTestServer } from '../support/test-server.ts'
import { waitForErasure } from './wait-for-erasure.ts'

it('an erasure removes the recipient from the request ids of bulk actions', async () => {
  await using server = await startTestServer()
  const { project } = await createFlow(server)
  const create = async (requestId: string) => {
    const json = { action: 'cancel', filter: { project_id: project.id, created_after: project.created_at } }
    expect((await server.request('POST', '/v1/bulk-actions', { json, headers: { 'X-Request-Id': requestId } })).status).toBe(202)
  }
  await create('cancel-ann@example.com')
  await create('cancel-bob@example.com')
  const { json: erasure } = await server.request('POST', '/v1/erasures', { json: { target: 'ann@example.com' } })
  const { target } = await waitForErasure(server, erasure.id)
  await server.stop()
  const actions = await onDatabase(server.database, (query) => query('select request_id from bulk_actions order by id'))
  expect(actions).toEqual([{ request_id: target }, { request_id: 'cancel-bob@example.com' }])
})
