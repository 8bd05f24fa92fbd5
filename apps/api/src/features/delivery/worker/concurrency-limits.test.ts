import { expect, it } from 'vitest'
import { bulkOf, jobOf, soon, startWorker } from '../../../../test/support/worker.ts'
import { newUuid } from '../../../shared/ids.ts'
import type { Exclusions } from '../queue/queue.ts'

// docs/concepts/fairness.md repeats the numbers of these tests.
const defaultLimits = { concurrency: 200, projectConcurrency: 40 }

it('gives a project at most 89 slots: a claim that starts with 39 messages in flight adds 50', async () => {
  await using worker = startWorker(bulkOf('bulk', 1_000), defaultLimits)
  await expect.poll(() => worker.claims, soon).toEqual([[], ['bulk']])
  await expect.poll(() => worker.sending.length, soon).toBe(50)
  for (const end of worker.sending.splice(0, 11)) end()
  await expect.poll(() => worker.sending.length, soon).toBe(89)
  await expect.poll(() => worker.claims.at(-1), soon).toEqual(['bulk'])
  expect(worker.sending).toHaveLength(89)
})

it('gives a user at most 149 slots: a claim that starts with 99 messages in flight adds 50', async () => {
  // Each job belongs to a different project, so only the limit for users applies.
  const claim = async (limit: number, { userIds }: Exclusions) =>
    userIds.length > 0 ? [] : Array.from({ length: limit }, () => jobOf(newUuid(), 'alice'))
  await using worker = startWorker(claim, defaultLimits)
  await expect.poll(() => worker.claims.length, soon).toBe(3)
  await expect.poll(() => worker.sending.length, soon).toBe(100)
  worker.sending.shift()?.()
  await expect.poll(() => worker.claims.length, soon).toBe(5)
  await expect.poll(() => worker.sending.length, soon).toBe(149)
})

it('has a free slot until the messages of eight users wait for a response', async () => {
  const users: string[] = []
  const claim = async (limit: number, { userIds }: Exclusions) => {
    const userId = users.find((user) => !userIds.includes(user))
    return userId === undefined ? [] : Array.from({ length: limit }, () => jobOf(newUuid(), userId))
  }
  await using worker = startWorker(claim, defaultLimits)
  for (const inFlight of [100, 150, 175, 188, 194, 197, 199, 200]) {
    users.push(newUuid())
    worker.wake()
    await expect.poll(() => worker.sending.length, soon).toBe(inFlight)
  }
})
