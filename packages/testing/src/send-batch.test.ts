import { describe, expect, it } from 'vitest'
import { createFlowpostMock } from './mock.ts'

const createBilling = () => {
  const mock = createFlowpostMock()
  const project = mock.seed.project({ name: 'billing' })
  mock.seed.flow({ project, source_type: 'smtp', target: 'ops@example.com' })
  const items = Array.from({ length: 3 }, (_, number) => ({ project_id: project.id, subject: `Invoice ${number}`, message: 'Ready.' }))
  return { mock, items }
}

describe('batches', () => {
  it('are delivered to the outbox, and recorded as one request', async () => {
    const { mock, items } = createBilling()
    const { results } = await mock.client().notifications.sendBatch({ notifications: items })
    expect(results.map(({ status }) => status)).toEqual([202, 202, 202])
    expect(mock.outbox.map(({ subject }) => subject)).toEqual(items.map(({ subject }) => subject))
    expect(mock.requests).toMatchObject([{ operation: 'notifications.sendBatch', status: 200, body: { notifications: items } }])
  })

  it('are sent only once after a lost response', async () => {
    const { mock, items } = createBilling()
    mock.faults.next('notifications.sendBatch', 'commitThenDrop')
    for await (const { error } of mock.client().notifications.sendMany(items)) expect(error).toBeUndefined()
    expect(mock.requests).toHaveLength(2)
    expect(mock.outbox).toHaveLength(3)
  })

  it('are retried after an injected 429', async () => {
    const { mock, items } = createBilling()
    mock.faults.next('notifications.sendBatch', { status: 429, retryAfter: 1 })
    await mock.client().notifications.sendBatch({ notifications: items })
    expect(mock.requests.map(({ status }) => status)).toEqual([429, 200])
    expect(mock.outbox).toHaveLength(3)
  })
})
