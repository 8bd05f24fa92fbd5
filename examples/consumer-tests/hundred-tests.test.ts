import { createFlowpostMock } from '@flowpost/testing'
import '@flowpost/testing/vitest'
import { afterAll, expect, it } from 'vitest'

// Measures a hundred consumer tests, each with its own mock.
const startedAtMs = performance.now()
afterAll(() => console.log(`100 tests on the mock took ${Math.round(performance.now() - startedAtMs)} ms.`))

it.each(Array.from({ length: 100 }, (_, index) => index))('sends invoice %i to its customer', async (number) => {
  const mock = createFlowpostMock({ seed: number })
  const flow = mock.seed.flow({ target: `customer-${number}@example.com`, message_template: 'Hello,\\n{{message}}' })
  mock.faults.next('notifications.send', { status: 503 })
  mock.faults.deliveriesTo(flow.target, { fail: 'outage', times: 1 })

  const message = { project_id: flow.project_id, subject: `Invoice ${number}`, message: 'It is ready.' }
  const settled = await mock.client().notifications.send(message).settled()

  expect(settled.status).toBe('sent')
  expect(mock).toHaveSentTimes(1, { target: flow.target, subject: `Invoice ${number}`, body: 'Hello,\nIt is ready.' })
})
