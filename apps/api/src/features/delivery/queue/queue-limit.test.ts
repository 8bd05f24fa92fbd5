import { pino } from 'pino'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { PendingCount } from './queue.ts'
import { createQueueLimit, priorityFor } from './queue-limit.ts'

const countPending = vi.fn<() => Promise<PendingCount[]>>()
const start = async () => {
  const queueLimit = createQueueLimit({ queue: { countPending }, limit: 50, log: pino({ level: 'silent' }) })
  await queueLimit.start()
  const reserve = (userId: string, count: number, options: { scheduled?: boolean; projectId?: string } = {}) =>
    queueLimit.reserve({ userId, projectId: `${userId}'s`, count, scheduled: false, ...options })
  const store = (userId: string, count: number) => reserve(userId, count).settle(true)
  return { reserve, store }
}
const pendingOf = (userId: string, counts: { due?: number; scheduled?: number }): PendingCount => ({
  userId,
  projectId: `${userId}'s`,
  due: 0,
  scheduled: 0,
  ...counts,
})
const full = expect.objectContaining({ code: 'queue_full', status: 503, headers: { 'Retry-After': expect.any(String) } })

beforeEach(() => {
  vi.useFakeTimers()
  countPending.mockReset().mockResolvedValue([])
})
afterEach(() => vi.useRealTimers())

it('leaves half of the limit to other users, however many pending deliveries one user has', async () => {
  const { reserve } = await start()
  reserve('alice', 25)
  expect(() => reserve('alice', 1)).toThrow(full)
  reserve('bob', 25)
  expect(() => reserve('carol', 1)).toThrow(full)
})

it('counts scheduled deliveries separately', async () => {
  countPending.mockResolvedValue([pendingOf('alice', { scheduled: 25 }), pendingOf('bob', { scheduled: 25 })])
  const { reserve } = await start()
  expect(() => reserve('carol', 1, { scheduled: true })).toThrow(full)
  reserve('alice', 25)
  reserve('carol', 25)
})

it('counts again every two seconds and adds reservations made during the count', async () => {
  const { reserve, store } = await start()
  store('alice', 20)
  const counting = Promise.withResolvers<PendingCount[]>()
  countPending.mockReturnValueOnce(counting.promise)
  await vi.advanceTimersByTimeAsync(2_000)
  reserve('alice', 5)
  expect(() => reserve('alice', 1)).toThrow(full)
  counting.resolve([pendingOf('alice', { due: 10 })])
  await vi.advanceTimersByTimeAsync(0)
  reserve('alice', 10)
  expect(() => reserve('alice', 1)).toThrow(full)
})

it('uses the last count while counting fails', async () => {
  const { reserve, store } = await start()
  store('alice', 25)
  countPending.mockRejectedValueOnce(new Error('away'))
  await vi.advanceTimersByTimeAsync(2_000)
  expect(() => reserve('alice', 1)).toThrow(full)
  await vi.advanceTimersByTimeAsync(2_000)
  reserve('alice', 25)
})

it('frees the space of a reservation whose deliveries were not stored', async () => {
  const { reserve } = await start()
  const { settle } = reserve('alice', 25)
  expect(() => reserve('alice', 1)).toThrow(full)
  settle(false)
  reserve('alice', 25)
})

it('counts only after the deliveries being stored are committed, so that each is counted once', async () => {
  const { reserve, store } = await start()
  store('alice', 5)
  const { settle } = reserve('alice', 20)
  await vi.advanceTimersByTimeAsync(2_000)
  expect(countPending).toHaveBeenCalledTimes(1)
  countPending.mockResolvedValue([pendingOf('alice', { due: 25 })])
  settle(true)
  await vi.advanceTimersByTimeAsync(0)
  expect(countPending).toHaveBeenCalledTimes(2)
  expect(() => reserve('alice', 1)).toThrow(full)
})

it('keeps the space of deliveries whose storing begins while the count waits, until they are stored or rejected', async () => {
  const { reserve } = await start()
  const first = reserve('alice', 5)
  await vi.advanceTimersByTimeAsync(2_000)
  const { settle } = reserve('alice', 20)
  countPending.mockResolvedValue([pendingOf('alice', { due: 5 })])
  first.settle(true)
  await vi.advanceTimersByTimeAsync(0)
  expect(() => reserve('alice', 1)).toThrow(full)
  settle(false)
  reserve('alice', 20)
  expect(() => reserve('alice', 1)).toThrow(full)
})

it('lowers the priority of a project with each doubling of its pending deliveries, counted or reserved', async () => {
  countPending.mockResolvedValue([pendingOf('alice', { due: 6 })])
  const { reserve } = await start()
  expect(reserve('alice', 1).priority).toBe(-3)
  expect(reserve('alice', 8).priority).toBe(-4)
  expect(reserve('alice', 1, { projectId: 'another' }).priority).toBe(-1)
  expect(reserve('alice', 1, { scheduled: true }).priority).toBe(-1)
  expect(priorityFor(1_000_000_000)).toBe(-20)
})
