import { expect, it } from 'vitest'
import { createFlowpostMock } from '../../src/index.ts'
import '../../src/vitest.ts'

it('tells operations about a new invoice', async () => {
  const mock = createFlowpostMock()
  const flow = mock.seed.flow({ name: 'operations', target: 'ops@example.com', message_template: "'{{subject}}': {{message}}" })

  await mock.client().notifications.send({ project_id: flow.project_id, subject: 'Invoice 42', message: 'It is ready.' })

  expect(mock).toHaveSent({ flow: 'operations', target: 'ops@example.com', subject: 'Invoice 42', body: /is ready/ })
})
