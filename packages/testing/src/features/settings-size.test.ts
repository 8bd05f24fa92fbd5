import type { SettingsApply } from '@flowpost/client'
import { expect, it } from 'vitest'
import { createFlowpostMock } from '../mock.ts'
import { fitsDocument } from './settings-size.ts'

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
  await expect(client.settings.apply(documentOf('second', 600))).rejects.toMatchObject({ status: 409, code: 'settings_too_large' })
  const keys: (string | null)[] = []
  for await (const { key } of client.flows.list(project_id ?? '')) keys.push(key)
  expect(keys).toEqual(documentOf('first', 600).flows.map(({ key }) => key))
  expect(await client.settings.export(project_id ?? '')).toMatchObject({ digest })
})

it.each([
  [1_000, 10, true],
  [1_001, 10, false],
  [64, 65_536, true],
  [64, 65_537, false],
])('a document with %i flows and templates of %i bytes: %s', (count, bytes, fits) => {
  expect(fitsDocument(Array(count).fill({ message_template: 'x'.repeat(bytes) }))).toBe(fits)
})
