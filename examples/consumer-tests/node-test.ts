import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFlowpostMock } from '@flowpost/testing'

test('notifies operations of a new invoice', async () => {
  const mock = createFlowpostMock()
  const flow = mock.seed.flow({ target: 'ops@example.com' })

  await mock.client().notifications.send({ project_id: flow.project_id, subject: 'Invoice 42', message: 'It is ready.' })

  assert.deepEqual(
    mock.outbox.map(({ target, text }) => [target, text]),
    [['ops@example.com', 'It is ready.']],
  )
})
