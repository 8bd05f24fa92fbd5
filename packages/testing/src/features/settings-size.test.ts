import type { SettingsApply } from '@flowpost/client'
import { expect, it } from 'vitest'
import { createFlowpostMock } from '../mock.ts'

const documentOf = (prefix: string, count: number): SettingsApply => ({
  project: { key: 'large', name: 'Large' },
  flows: Array.from({ length: count }, (_, number) => ({
    key: `${prefix}-${number}`,
    name: prefix,
    active: true,
    source_type: 'smtp',
    target: 'ops@example.com',
    override_target: false,
    message_template: '{{message}}',
    message_template_type: 'text/plain',
  })),
})

it('returns 409 for a document that gives a project too many flows, and changes nothing', async () => {
  const mock = createFlowpostMock()
  const client = mock.client({ maxRetries: 0 })
  const { project_id, digest } = await client.settings.apply(documentOf('first', 600))
  for (const dry_run of [true, false])
    await expect(client.settings.apply({ ...documentOf('second', 600), dry_run })).rejects.toMatchObject({
      status: 409,
      code: 'settings_too_large',
    })
  const keys: (string | null)[] = []
  for await (const { key } of client.flows.list(project_id ?? '')) keys.push(key)
  expect(keys).toEqual(documentOf('first', 600).flows.map(({ key }) => key))
  expect(await client.settings.export(project_id ?? '')).toMatchObject({ digest })
})
