import { pino } from 'pino'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Load } from '../../queue/queue.ts'
import { createBackPressure } from './back-pressure.ts'

const load = vi.fn<() => Promise<Map<string, Load>>>()
const start = async () => {
  const backPressure = createBackPressure({ queue: { load }, limit: 50, log: pino({ level: 'silent' }) })
  await backPressure.start()
  return backPressure
}
const later = new Date('2030-01-01')
const full = expect.objectContaining({ code: 'queue_full', status: 503, headers: { 'Retry-After': expect.any(String) } })

beforeEach(() => {
  vi.useFakeTimers()
  load.mockReset().mockResolvedValue(new Map())
})
afterEach(() => vi.useRealTimers())

it('leaves every user half of the room, whatever one user has', async () => {
  const { admit } = await start()
  admit('alice', 25)
  expect(() => admit('alice', 1)).toThrow(full)
  admit('bob', 25)
  expect(() => admit('carol', 1)).toThrow(full)
})

it('counts what is due later apart', async () => {
  load.mockResolvedValue(
    new Map([
      ['alice', { due: 0, later: 25 }],
      ['bob', { due: 0, later: 25 }],
    ]),
  )
  const { admit } = await start()
  expect(() => admit('carol', 1, later)).toThrow(full)
  admit('alice', 25)
  admit('carol', 25)
})

it('counts anew every two seconds, and keeps what was let in meanwhile', async () => {
  const { admit } = await start()
  admit('alice', 20)
  const counting = Promise.withResolvers<Map<string, Load>>()
  load.mockReturnValueOnce(counting.promise)
  await vi.advanceTimersByTimeAsync(2_000)
  admit('alice', 5)
  expect(() => admit('alice', 1)).toThrow(full)
  counting.resolve(new Map([['alice', { due: 10, later: 0 }]]))
  await vi.advanceTimersByTimeAsync(0)
  admit('alice', 10)
  expect(() => admit('alice', 1)).toThrow(full)
})

it('goes by the last count while the queue cannot be read', async () => {
  const { admit } = await start()
  admit('alice', 25)
  load.mockRejectedValueOnce(new Error('away'))
  await vi.advanceTimersByTimeAsync(2_000)
  expect(() => admit('alice', 1)).toThrow(full)
  await vi.advanceTimersByTimeAsync(2_000)
  admit('alice', 25)
})
