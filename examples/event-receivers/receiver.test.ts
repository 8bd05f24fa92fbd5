import { createFlowpostMock } from '@flowpost/testing'
import { expect, it, vi } from 'vitest'
import { app } from './hono.ts'

const secret = `whsec_${'A'.repeat(43)}=`

it('logs a message that bounces', async () => {
  vi.stubEnv('FLOWPOST_EVENT_SECRETS', secret)
  const log = vi.spyOn(console, 'log').mockReturnValue()
  const mock = createFlowpostMock()
  const flow = mock.seed.flow({ target: 'nobody@example.com' })
  const url = 'https://billing.example.com/flowpost-events'
  mock.seed.eventEndpoint({ project_id: flow.project_id, url, secret, events: ['delivery.failed'] })
  mock.events.deliverTo((request) => app.fetch(request))
  mock.faults.deliveriesTo('nobody@example.com', 'bounce')

  const message = { project_id: flow.project_id, subject: 'Invoice', message: 'It is ready.', reference: 'order-1042' }
  await mock.client().notifications.send(message)
  await mock.events.delivered()

  expect(log).toHaveBeenCalledWith('order-1042: nobody@example.com failed with 5.1.1')
})
