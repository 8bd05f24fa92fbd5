import type { Flowpost } from '@flowpost/client'
import { createFlowpostMock } from '@flowpost/testing'
import '@flowpost/testing/vitest'
import { expect, it } from 'vitest'

// The service under test. The idempotency key prevents duplicate announcements.
const announceInvoice = (flowpost: Flowpost, projectId: string, number: string) =>
  flowpost.notifications.send(
    { project_id: projectId, subject: `Invoice ${number}`, message: 'Your invoice is ready.' },
    { idempotencyKey: `${projectId}:invoice-${number}:ready` },
  )

it('announces an invoice once when the connection is lost and the job runs twice', async () => {
  const mock = createFlowpostMock()
  const { project_id } = mock.seed.flow({ name: 'billing', target: 'billing@example.com' })
  mock.faults.next('notifications.send', { status: 429, retryAfter: 30 })
  mock.faults.next('notifications.send', 'commitThenDrop')

  await announceInvoice(mock.client(), project_id, '42')
  await announceInvoice(mock.client(), project_id, '42')

  expect(mock.requests.map(({ status }) => status)).toEqual([429, null, 202, 202])
  expect(mock).toHaveSentTimes(1, { flow: 'billing', target: 'billing@example.com', subject: 'Invoice 42', body: /is ready/ })
})
