import { createFlowpost } from '@flowpost/client'
import { createFlowpostMock } from '@flowpost/testing'
import { flowpostHandlers } from '@flowpost/testing/msw'
import { setupServer } from 'msw/node'
import { createElement } from 'react'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { DeliveryStatus } from './delivery-status.tsx'
import { render } from './render.ts'

const baseUrl = 'https://flowpost.example.com'
const mock = createFlowpostMock({ baseUrl, time: 'manual' })
const server = setupServer(...flowpostHandlers(mock))
beforeAll(() => server.listen())
afterAll(() => server.close())

it('shows a delivery while it is sending and after it was sent', async () => {
  const flow = mock.seed.flow({ target: 'ada@example.com' })
  mock.faults.deliveriesTo('ada@example.com', { delayMs: 40_000, times: 1 })
  const { id } = await mock.client().notifications.send({ project_id: flow.project_id, subject: 'a', message: 'b' })

  // As in a browser: the global `fetch`, and the access token of a signed-in user.
  const flowpost = createFlowpost({ baseUrl, apiKey: () => mock.apiKey })
  const page = await render(createElement(DeliveryStatus, { flowpost, id }))
  expect(page.text()).toBe('Loading')

  await page.until(() => mock.requests.length === 2)
  await mock.clock.advance(25_000)
  await page.until(() => page.text() === 'ada@example.com: sending')

  await page.until(() => mock.requests.length === 3)
  await mock.clock.advance(15_000)
  await page.until(() => page.text() === 'ada@example.com: sent')
})
