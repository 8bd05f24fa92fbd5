import { createFlowpostMock } from '@flowpost/testing'
import { expect, it } from 'vitest'

it('shows why a delivery failed', async () => {
  const mock = createFlowpostMock()
  const { project_id } = mock.seed.flow({ target: 'bounce@flowpost.test' })
  const tester = mock.client({ apiKey: mock.seed.apiKey({ mode: 'test' }) })

  const { test, deliveries } = await tester.notifications.send({ project_id, subject: 'Invoice 42', message: 'It is ready.' }).settled()

  expect(test).toBe(true)
  expect(deliveries).toMatchObject([{ status: 'failed', captured: true, failure: { kind: 'target', code: '5.1.1' } }])
})
