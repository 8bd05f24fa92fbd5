import { createFlowpostMock } from '@flowpost/testing'
import '@flowpost/testing/vitest'
import { expect, it } from 'vitest'

it('seeds a project with a flow, an integration and an API key', async () => {
  const mock = createFlowpostMock()
  const { id: project_id } = mock.seed.project({ name: 'billing' })
  const integration = mock.seed.integration({ project_id, source_type: 'slack' })
  const flow = mock.seed.flow({ project_id, source_type: 'slack', target: 'C024BE91L' })
  const sender = mock.client({ apiKey: mock.seed.apiKey({ project_id, scopes: ['notifications:send'] }) })

  await sender.notifications.send({ project_id, subject: 'Invoice 42', message: 'It is ready.' })

  expect(mock).toHaveSent({ flow, target: 'C024BE91L', body: 'It is ready.' })
  expect(integration.secrets).toMatchObject({ token: { set: true } })
})
