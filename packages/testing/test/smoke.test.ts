import { expect, it } from 'vitest'
import { createFlowpostMock } from '../src/index.ts'

it('works', async () => {
  const mock = createFlowpostMock({ now: '2026-11-21T10:00:00Z' })
  const flowpost = mock.client()
  const project = await flowpost.projects.create({ name: ' billing ' })
  const flow = await flowpost.flows.create(project.id, { name: 'ops', source_type: 'smtp', target: 'ops@Example.com', message_template: "'{{subject}}': {{message}}" })
  const settled = await flowpost.notifications.send({ project_id: project.id, subject: 'a', message: 'b' }).settled()
  console.log(project, flow, JSON.stringify(settled, null, 1), mock.outbox)
  mock.faults.deliveriesTo('ops@Example.com', { fail: 'outage', times: 3 })
  const again = await flowpost.notifications.send({ project_id: project.id, subject: 'a', message: 'b' }).settled()
  console.log(JSON.stringify(again, null, 1))
  mock.faults.next('notifications.send', { status: 429, retryAfter: 1 })
  mock.faults.next('notifications.send', 'stalledBody')
  mock.faults.next('notifications.send', 'commitThenDrop')
  const began = mock.clock.now()
  const third = await flowpost.notifications.send({ project_id: project.id, subject: 'c', message: 'b' }, { maxRetries: 5 }).withResponse()
  console.log(third.response.headers, mock.clock.now() - began)
  const list = []
  for await (const each of flowpost.notifications.list({ limit: 1 })) list.push(each.subject)
  console.log(list, mock.requests.map((r) => [r.operation, r.status]))
  expect(mock.outbox).toHaveLength(3)
  console.log(JSON.stringify(await flowpost.providers.list()))
})
