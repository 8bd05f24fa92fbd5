import { expect, it } from 'vitest'
import type { Queryable } from '../../../database/database.ts'
import { newUuid } from '../../../shared/ids.ts'
import { completeJobs, releaseJobs, renewLeases, rescheduleJobs } from './held-jobs.ts'
import type { Job } from './job.ts'

const jobs: Job[] = Array.from({ length: 250 }, () => ({
  deliveryId: newUuid(),
  userId: 'alice',
  projectId: newUuid(),
  sourceType: 'smtp',
  claim: 1,
  deferrals: 0,
}))

it.each<[string, (on: Queryable) => Promise<void>]>([
  ['renews leases', (on) => renewLeases(on, jobs)],
  ['releases jobs', (on) => releaseJobs(on, jobs, 0)],
  ['completes jobs', (on) => completeJobs(on, jobs)],
  [
    'reschedules jobs',
    (on) =>
      rescheduleJobs(
        on,
        jobs.map((job) => ({ job, delayMs: 0 })),
      ),
  ],
])('%s at most 100 at a time, and each one once', async (_, change) => {
  const batches: string[][] = []
  const query: Queryable['query'] = async (_statement, values) => {
    const given = JSON.parse(String(values?.at(-1))) as { readonly id: string }[]
    batches.push(given.map(({ id }) => id))
    return []
  }
  await change({ query })
  expect(batches.map(({ length }) => length)).toEqual([100, 100, 50])
  expect(batches.flat()).toEqual(jobs.map(({ deliveryId }) => deliveryId))
})
