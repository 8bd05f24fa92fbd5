import { expect, it, vi } from 'vitest'
import type { BodyIssue } from './api-error.ts'
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
