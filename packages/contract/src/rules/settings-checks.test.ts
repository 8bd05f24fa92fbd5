import { expect, it, vi } from 'vitest'
import { z } from 'zod'
import type { BodyIssue } from './api-error.ts'
import { mergeIntegration } from './merge-integration.ts'
import { findSettingsIssues } from './settings-checks.ts'

const issue: BodyIssue = { pointer: '/settings', code: 'invalid_value', message: 'Invalid.' }

it('checks an integration once, even if the document repeats it 1,000 times', () => {
  const integration = vi.fn(() => [issue])
  const body = { integrations: Array.from({ length: 1_000 }, () => ({ source_type: 'smtp', settings: {} })) }
  const issues = findSettingsIssues(body, { flow: () => [], integration })
  expect(integration).toHaveBeenCalledTimes(1)
  // The document can have 100 integrations, so only the first 100 are examined.
  expect(issues).toHaveLength(100)
  expect(issues.slice(0, 2)).toMatchObject([{ pointer: '/integrations/0/settings' }, { pointer: '/integrations/1/source_type' }])
})

it('checks every integration without a provider, and every flow, even if it repeats a key', () => {
  const [flow, integration] = [vi.fn(() => [issue]), vi.fn(() => [issue])]
  findSettingsIssues({ flows: [{ key: 'a' }, { key: 'a' }], integrations: [{}, {}] }, { flow, integration })
  expect([flow.mock.calls.length, integration.mock.calls.length]).toEqual([2, 2])
})

it.each([
  ['flows', 1_000],
  ['event_endpoints', 20],
])('examines as many %s as a document can have', (field, count) => {
  const repeated = Array.from({ length: 2_000 }, () => ({ key: 'a' }))
  expect(findSettingsIssues({ [field]: repeated }, { flow: () => [], integration: () => [] })).toHaveLength(count - 1)
})

it('limits the length of pointers, and notes once that a path is too long', () => {
  const provider = { settings: z.strictObject({}).catchall(z.strictObject({})), secrets: z.strictObject({}) }
  const errorsOf = (settings: object) =>
    findSettingsIssues(
      { integrations: [{ source_type: 'smtp', settings }] },
      { flow: () => [], integration: (integration) => mergeIntegration(provider, undefined, integration).errors },
    )
  const name = (length: number) => 'k'.repeat(length)
  const enclosing = '/integrations/0/settings'
  const note = 'In a field whose path is too long to list: '
  expect(errorsOf({ [name(231)]: 1 })).toMatchObject([{ pointer: `${enclosing}/${name(231)}`, message: expect.not.stringContaining(note) }])
  for (const length of [232, 245]) {
    const [error, ...others] = errorsOf({ [name(length)]: 1 })
    expect([error?.pointer, error?.message.startsWith(note), others]).toEqual([enclosing, true, []])
  }
  // The pointer is shortened twice. Within the integration, the pointer to the unknown field would have 261 characters. Within
  // the document, the pointer to the setting that contains it would have 265.
  expect(errorsOf({ [name(240)]: { [name(10)]: 1 } })).toMatchObject([
    { pointer: enclosing, code: 'unknown_field', message: `${note}This resource has no such field.` },
  ])
  // The slashes in the name are escaped, so the pointer is cut before the name, not within it.
  expect(errorsOf({ ['/'.repeat(120)]: 1 })).toMatchObject([{ pointer: enclosing }])
})
