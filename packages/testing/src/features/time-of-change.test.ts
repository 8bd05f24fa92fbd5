import type { FlowUpdate, SettingsApply } from '@flowpost/client'
import { expect, it } from 'vitest'
import { createFlowpostMock } from '../mock.ts'

// Each mock's clock stands still, because no call waits for time to pass.
const now = '2026-11-23T08:00:00.000Z'

const start = () => {
  const mock = createFlowpostMock({ now })
  return { mock, client: mock.client({ maxRetries: 0 }) }
}

type DocumentFlow = SettingsApply['flows'][number]

const documentOf = (fields: Partial<DocumentFlow> = {}): SettingsApply => {
  const flow: DocumentFlow = {
    key: 'ops',
    name: 'Operations',
    active: true,
    source_type: 'smtp',
    target: 'ops@example.com',
    override_target: false,
    message_template: '{{message}}',
    message_template_type: 'text/plain',
  }
  return { project: { key: 'billing', name: 'Billing' }, flows: [{ ...flow, ...fields }] }
}

it('returns 412 for the entity tag of an earlier flow with the same fields', async () => {
  const { mock, client } = start()
  const { id, project_id, ...flow } = mock.seed.flow()
  const ifMatch = (await client.flows.get(project_id, id).withResponse()).response.headers.get('etag') ?? ''
  await client.flows.patch(project_id, id, { active: false })
  await client.flows.patch(project_id, id, { active: true })
  const { name, active, source_type, target, override_target, message_template } = flow
  const body: FlowUpdate = { name, active, source_type, target, override_target, message_template, message_template_type: 'text/plain' }
  await expect(client.flows.update(project_id, id, body, { ifMatch })).rejects.toMatchObject({ status: 412 })
})

it('returns 412 for the entity tag of an earlier project with the same name', async () => {
  const { mock, client } = start()
  const { id, name } = mock.seed.project()
  const ifMatch = (await client.projects.get(id).withResponse()).response.headers.get('etag') ?? ''
  await client.projects.update(id, { name: 'Another name' })
  await client.projects.update(id, { name })
  await expect(client.projects.delete(id, { ifMatch })).rejects.toMatchObject({ status: 412 })
})

it('records each change of a resource with a later time', async () => {
  const { mock, client } = start()
  await client.settings.apply(documentOf())
  for (const active of [false, true]) await client.settings.apply(documentOf({ active }))
  const { project_id } = await client.settings.apply({ project: { key: 'billing', name: 'Renamed' }, flows: [], prune: true })
  const { data } = await client.settings.history({ project_id: project_id ?? '' })
  const timesOf = (kind: string) => data.filter((entry) => entry.kind === kind).map(({ changed_at }) => Date.parse(changed_at))
  const startedAt = mock.clock.now()
  expect(timesOf('flow')).toEqual([startedAt + 3, startedAt + 2, startedAt + 1, startedAt])
  expect(timesOf('project')).toEqual([startedAt + 1, startedAt])
})

it('returns a past flow at the time of its latest change', async () => {
  const { mock, client } = start()
  const { id, project_id } = mock.seed.flow()
  const { updated_at } = await client.flows.patch(project_id, id, { name: 'Renamed' })
  expect(updated_at > now).toBe(true)
  expect(await client.flows.get(project_id, id, { at: updated_at })).toMatchObject({ name: 'Renamed', updated_at })
})

it('examines a notification that follows a change at the same time', async () => {
  const { client } = start()
  const { project_id } = await client.settings.apply(documentOf())
  const send = () => client.notifications.send({ project_id: project_id ?? '', subject: 'a', message: 'b' })
  await client.settings.apply(documentOf({ message_template: 'New: {{message}}' }))
  await send()
  const { consequences } = await client.settings.apply({
    ...documentOf({ message_template: 'Newer: {{message}}' }),
    dry_run: true,
    consequences: true,
  })
  expect(consequences).toMatchObject({ examined: 1 })
})
