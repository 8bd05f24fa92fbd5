import { expect, it } from 'vitest'
import { createFlowpostMock } from '../mock.ts'

it('gives a past version of a flow the entity tag that the flow had at that time', async () => {
  const mock = createFlowpostMock()
  const client = mock.client()
  const { project_id, id, updated_at } = mock.seed.flow({ key: 'ops' })
  const { response } = await client.flows.get(project_id, id).withResponse()
  await client.flows.patch(project_id, id, { name: 'changed' })

  const past = await client.flows.get(project_id, id, { at: updated_at }).withResponse()

  expect(past.response.headers.get('etag')).toBe(response.headers.get('etag'))
})
