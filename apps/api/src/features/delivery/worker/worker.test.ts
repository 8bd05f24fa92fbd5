import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { bulkOf, jobOf, soon, startWorker } from '../../../../test/support/worker.ts'
import { toId } from '../../../shared/ids.ts'
import type { Job } from '../queue/job.ts'

it('claims jobs of a project at its limit again as soon as the project has capacity, and not before', async () => {
  await using worker = startWorker(bulkOf('bulk', 20))
  // Four jobs are started: half of the free slots. Then only jobs in the excluded project are left.
  await expect.poll(() => worker.claims, soon).toEqual([[], ['bulk']])
  await expect.poll(() => worker.sending.length, soon).toBe(4)
  for (const ended of [1, 2]) {
    worker.sending.shift()?.()
    await sleep(30)
    expect([ended, worker.claims.length]).toEqual([ended, 2])
  }
  worker.sending.shift()?.()
  await expect.poll(() => worker.claims[2], soon).toEqual([])
})

it('claims new jobs without waiting for the poll, during another claim and while a project is at its limit', async () => {
  const waiting: Job[] = []
  const bulk = bulkOf('bulk', 20)
  let claiming = Promise.withResolvers<void>()
  let isHeld = false
  await using worker = startWorker(async (limit, exclude) => {
    const found = [...waiting.splice(0), ...(await bulk(limit, exclude))].slice(0, limit)
    if (isHeld) await claiming.promise
    return found
  })
  await expect.poll(() => worker.sending.length, soon).toBe(4)
  await expect.poll(() => worker.claims.length, soon).toBe(2)
  waiting.push(jobOf('small'))
  worker.wake()
  await expect.poll(() => worker.sending.length, soon).toBe(5)

  isHeld = true
  const before = worker.claims.length
  worker.wake()
  await expect.poll(() => worker.claims.length, soon).toBe(before + 1)
  waiting.push(jobOf('other'))
  worker.wake()
  isHeld = false
  claiming.resolve()
  claiming = Promise.withResolvers()
  await expect.poll(() => worker.sending.length, soon).toBe(6)
})

it('releases jobs at once when starting their attempts fails', async () => {
  const jobs = [jobOf('a'), jobOf('b')]
  const waiting = [...jobs]
  await using worker = startWorker(async () => waiting.splice(0))
  worker.state.failStarts = true
  await expect.poll(() => worker.released, soon).toEqual(jobs.map(({ deliveryId }) => deliveryId))
  expect(worker.sending).toEqual([])
})

it('reports a probe as not sent when starting its attempt fails', async () => {
  const waiting = [jobOf('a')]
  await using worker = startWorker(async () => waiting.splice(0))
  Object.assign(worker.state, { failStarts: true, probing: true })
  await expect.poll(() => worker.abandonedProbes, soon).toEqual(['credential'])
})

it('releases the retry of a message that it claims before the commit of the first outcome is confirmed', async () => {
  const job = jobOf('a')
  const waiting = [job]
  await using worker = startWorker(async (limit) => waiting.splice(0, limit))
  await expect.poll(() => worker.sending.length, soon).toBe(1)
  worker.state.onCommitted = async () => {
    waiting.push({ ...job, claim: job.claim + 2 })
    worker.wake()
    await expect.poll(() => waiting, soon).toEqual([])
    await sleep(30)
  }
  worker.sending.shift()?.()
  await expect.poll(() => worker.released, soon).toEqual([job.deliveryId])
})

it('stops sending while outcomes cannot be recorded', async () => {
  const waiting = [jobOf('a')]
  await using worker = startWorker(async (limit) => waiting.splice(0, limit))
  await expect.poll(() => worker.sending.length, soon).toBe(1)
  worker.state.failRecords = true
  worker.sending.shift()?.()
  await sleep(30)
  waiting.push(jobOf('b'))
  worker.wake()
  await sleep(30)
  expect(waiting).toHaveLength(1)
  worker.state.failRecords = false
  const wakeAndCount = () => {
    worker.wake()
    return worker.sending.length
  }
  await expect.poll(wakeAndCount, soon).toBe(1)
})

it('stops soon after its grace period while outcomes cannot be recorded, and logs the affected deliveries', async () => {
  const job = jobOf('a')
  const waiting = [job]
  await using worker = startWorker(async (limit) => waiting.splice(0, limit))
  await expect.poll(() => worker.sending.length, soon).toBe(1)
  worker.state.failRecords = true
  worker.sending.shift()?.()
  await worker.stop(100)
  expect(worker.logged.map((line) => JSON.parse(line))).toContainEqual(
    expect.objectContaining({
      deliveries: [toId('delivery', job.deliveryId)],
      msg: expect.stringContaining('attempted again'),
    }),
  )
})

it('stops soon after its grace period when a claim never returns', async () => {
  await using worker = startWorker(() => new Promise(() => {}))
  await expect.poll(() => worker.claims.length, soon).toBe(1)
  await worker.stop(100)
})
