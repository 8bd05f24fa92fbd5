import { expect, it } from 'vitest'
import type { Job } from '../queue/job.ts'
import { createInFlight } from './in-flight-jobs.ts'

const job = (deliveryId: string, changes: Partial<Job> = {}): Job => ({
  deliveryId,
  userId: 'alice',
  projectId: 'p',
  sourceType: 'smtp',
  claim: 1,
  deferrals: 0,
  ...changes,
})

it('counts a job against the worker until its outcome is recorded, and against its user and project until its message is sent', () => {
  const inFlight = createInFlight({ concurrency: 4, projectConcurrency: 2 }, () => 0)
  inFlight.add(job('a'))
  inFlight.add(job('b'))
  expect(inFlight.freeSlots()).toBe(2)
  expect(inFlight.saturated()).toEqual({ projectIds: ['p'], userIds: ['alice'] })
  inFlight.sent(job('a'))
  expect(inFlight.freeSlots()).toBe(2)
  expect(inFlight.saturated()).toEqual({ projectIds: [], userIds: [] })
  inFlight.remove(job('a'))
  expect(inFlight.freeSlots()).toBe(3)
})

it('keeps a job in flight when it is claimed again, and updates its claim', () => {
  const inFlight = createInFlight({ concurrency: 4, projectConcurrency: 4 }, () => 0)
  expect(inFlight.adopt(job('a'))).toBe(false)
  inFlight.add(job('a'))
  expect(inFlight.adopt(job('a', { claim: 2 }))).toBe(true)
  expect(inFlight.heldSince(0)).toEqual([job('a', { claim: 2 })])
  expect(inFlight.freeSlots()).toBe(3)
})

it('returns the jobs that have been in flight for a given time', () => {
  let nowMs = 0
  const inFlight = createInFlight({ concurrency: 4, projectConcurrency: 4 }, () => nowMs)
  inFlight.add(job('a'))
  nowMs = 10
  inFlight.add(job('b'))
  expect(inFlight.heldSince(5).map(({ deliveryId }) => deliveryId)).toEqual(['a'])
})
