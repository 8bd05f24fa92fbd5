import { createFlowpostMock } from '@flowpost/testing'
import '@flowpost/testing/vitest'
import { expect, it } from 'vitest'
import lock from './flowpost.lock.json' with { type: 'json' }
import { announceInvoice, warnCustomer } from './invoices.ts'

it('announces an invoice to operations, with the production template', async () => {
  const mock = createFlowpostMock({ lock })

  await announceInvoice(mock.client(), 42)

  expect(mock).toHaveSent({ flow: 'ops-mail', subject: 'Invoice 42', body: '<h1>Invoice 42</h1>\n<p>It is ready.</p>' })
})

it("warns the customer's channel", async () => {
  const mock = createFlowpostMock({ lock })

  await warnCustomer(mock.client(), 42, 'C0CUSTOMER')

  expect(mock).toHaveSent({ target: 'C0CUSTOMER', body: '*Invoice 42*\nIt is not paid.' })
})

it('does not compile with a flow that does not exist, or a target that is not allowed', async () => {
  const { notifications } = createFlowpostMock({ lock }).client()
  const text = { subject: 'Invoice 42', message: 'It is ready.' }

  // @ts-expect-error The flow is named `ops-mail`.
  await expect(notifications.send({ project: 'billing', flow: 'ops-mails', ...text })).rejects.toThrow()
  // @ts-expect-error The flow has `override_target: false`.
  await expect(notifications.send({ project: 'billing', flow: 'ops-mail', target: 'a@example.com', ...text })).rejects.toThrow()
})
