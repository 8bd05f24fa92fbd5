import { expect, it } from 'vitest'
import { NotificationSend } from './notification-send.ts'

const issuesOf = (metadata: unknown) =>
  NotificationSend.safeParse({ project_id: 'x', subject: 'a', message: 'b', metadata }).error?.issues ?? []
const entries = (count: number, value: unknown) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k ${index}`, value]))

it('returns one issue for metadata with too many entries, whatever they contain', () => {
  // Uses the schema once before the checks below, because zod changes a schema when it is first used.
  expect(issuesOf({ order: '1042' })).toEqual([])
  for (const value of [0, 'valid', 'x'.repeat(501)])
    for (const count of [21, 10_000])
      expect(issuesOf(entries(count, value))).toMatchObject([
        { code: 'custom', path: ['metadata'], message: 'Must have at most 20 entries.', params: { code: 'too_long' } },
      ])
})

it('returns an issue for each invalid entry of metadata with at most 20 entries', () => {
  expect(issuesOf(entries(20, 0))).toHaveLength(20)
  expect(issuesOf(entries(20, 'valid name, but not key'))).toHaveLength(20)
  expect(issuesOf(Array(30).fill('a'))).toMatchObject([{ code: 'invalid_type', path: ['metadata'] }])
  expect(issuesOf(undefined)).toEqual([])
})
