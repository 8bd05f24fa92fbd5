import type { Flowpost } from '@flowpost/client'
import { createFlowpostMock } from '@flowpost/testing'
import '@flowpost/testing/vitest'
import { expect, it } from 'vitest'

interface Invoice {
  readonly id: string
  readonly number: string
}

// The service under test. The idempotency key prevents duplicate announcements. It contains the invoice's id, because another
// invoice may have the same number.
const announceInvoice = (flowpost: Flowpost, projectId: string, invoice: Invoice) =>
  flowpost.notifications.send(
    { project_id: projectId, subject: `Invoice ${invoice.number}`, message: 'Your invoice is ready.' },
    { idempotencyKey: `${projectId}:invoice-${invoice.id}:ready` },
  )

it('announces an invoice once when the connection is lost and the job runs twice', async () => {
  const mock = createFlowpostMock()
  const invoice = { id: '0190e0c2', number: '42' }
  const { project_id } = mock.seed.flow({ name: 'billing', target: 'billing@example.com' })
  mock.faults.next('notifications.send', { status: 429, retryAfter: 30 })
  mock.faults.next('notifications.send', 'commitThenDrop')

  await announceInvoice(mock.client(), project_id, invoice)
  await announceInvoice(mock.client(), project_id, invoice)

  expect(mock.requests.map(({ status }) => status)).toEqual([429, null, 202, 202])
  expect(mock).toHaveSentTimes(1, { flow: 'billing', target: 'billing@example.com', subject: 'Invoice 42', body: /is ready/ })
})
