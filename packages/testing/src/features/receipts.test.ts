import { expect, it } from 'vitest'
import { createFlowpostMock } from '../mock.ts'

it('suppresses an erased recipient after a complaint, without its address', async () => {
  const mock = createFlowpostMock()
  const client = mock.client()
  const { project_id } = mock.seed.flow({ target: 'gone@example.com' })
  const { id } = await client.notifications.send({ project_id, subject: 'a', message: 'b' })
  const [delivery] = (await client.notifications.get(id, { wait: 1 })).deliveries
  const { target } = await client.erasures.create({ target: 'Gone@example.com' })
  await client.deliveries.recordReceipt(delivery?.id ?? '', { status: 'complained' })
  const { data } = await client.suppressions.list(project_id)
  expect(data).toMatchObject([{ target, reason: 'complaint', source: 'receipt' }])
  const later = await client.notifications.send({ project_id, subject: 'a', message: 'b' })
  expect(later.deliveries).toMatchObject([{ status: 'failed', target, failure: { code: 'suppressed' } }])
})
