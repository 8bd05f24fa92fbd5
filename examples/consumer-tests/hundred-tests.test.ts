import { createFlowpostMock } from '@flowpost/testing'
import '@flowpost/testing/vitest'
import { afterAll, expect, it } from 'vitest'

// What a consumer's tests cost: a hundred of them, each with a mock of its own.
const began = performance.now()
afterAll(() => console.log(`100 tests on the mock took ${Math.round(performance.now() - began)} ms.`))

it.each(Array.from({ length: 100 }, (_, index) => index))('sends invoice %i to whom it is for', async (number) => {
  const mock = createFlowpostMock({ seed: number })
  const flow = mock.seed.flow({ target: `customer-${number}@example.com`, message_template: 'Hello,\\n{{message}}' })
  mock.faults.next('notifications.send', { status: 503 })
  mock.faults.deliveriesTo(flow.target, { fail: 'outage', times: 1 })

  const message = { project_id: flow.project_id, subject: `Invoice ${number}`, message: 'It is ready.' }
  const settled = await mock.client().notifications.send(message).settled()

  expect(settled.status).toBe('sent')
  expect(mock).toHaveSentTimes(1, { target: flow.target, subject: `Invoice ${number}`, body: 'Hello,\nIt is ready.' })
})
