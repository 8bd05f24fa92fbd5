import { createFlowpostMock } from '@flowpost/testing'
import '@flowpost/testing/vitest'
import { expect, it } from 'vitest'
import lock from './flowpost.lock.json' with { type: 'json' }

it('renders the production template', async () => {
  const mock = createFlowpostMock({ lock })

  await mock.client().notifications.send({ project: 'billing', flow: 'ops-mail', subject: 'Invoice 42', message: 'It is ready.' })

  expect(mock).toHaveSent({ target: 'ops-mail@example.com', body: '<h1>Invoice 42</h1>\n<p>It is ready.</p>' })
})

it('reports settings that differ from the lock file', async () => {
  const mock = createFlowpostMock({ lock })
  const drifts: string[] = []
  const flowpost = mock.client({ lock, onDrift: ({ project }) => drifts.push(project) })
  const [billing] = (await flowpost.projects.list()).data
  mock.seed.flow({ project: billing, key: 'new' })

  await flowpost.notifications.send({ project: 'billing', subject: 'Invoice 42', message: 'It is ready.' })

  expect(drifts).toEqual(['billing'])
})
