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

it('suppresses the recipient in whichever order two bounces arrive, if one of them has the address as its cause', async () => {
  const full = { status: 'bounced', code: '5.2.2', at: '2026-11-20T10:00:00Z' } as const
  const unknown = { status: 'bounced', code: '5.1.1', at: '2026-11-20T11:00:00Z' } as const
  for (const receipts of [
    [full, unknown],
    [unknown, full],
  ]) {
    const mock = createFlowpostMock()
    const client = mock.client()
    const { project_id } = mock.seed.flow({ target: 'gone@example.com' })
    const { id } = await client.notifications.send({ project_id, subject: 'a', message: 'b' })
    const [delivery] = (await client.notifications.get(id, { wait: 1 })).deliveries
    for (const receipt of receipts) await client.deliveries.recordReceipt(delivery?.id ?? '', receipt)
    expect((await client.suppressions.list(project_id)).data).toMatchObject([{ target: 'gone@example.com', reason: 'bounce' }])
  }
})

it('suppresses a recipient in both spellings of an internationalized domain', async () => {
  const mock = createFlowpostMock()
  const client = mock.client()
  const { project_id } = mock.seed.flow({ target: 'bob@bücher.example' })
  await client.suppressions.create(project_id, { target: 'Bob@xn--bcher-kva.example' })
  const { deliveries } = await client.notifications.send({ project_id, subject: 'a', message: 'b' })
  expect(deliveries).toMatchObject([{ status: 'failed', failure: { code: 'suppressed' } }])
})
