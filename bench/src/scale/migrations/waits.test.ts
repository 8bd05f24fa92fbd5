import { expect, it } from 'vitest'
import { maxWait, startMessageLoad } from './waits.ts'

it('returns the longest wait among the messages in progress during an interval', () => {
  const waits = [
    { startedMs: 0, endedMs: 100 },
    { startedMs: 100, endedMs: 350 },
    { startedMs: 400, endedMs: 410 },
    { startedMs: 500, endedMs: 1_500 },
  ]
  expect(maxWait(waits, 300, 450)).toBe(250)
  expect(maxWait(waits, 600, 700)).toBe(1_000)
  expect(maxWait(waits, 2_000, 3_000)).toBe(0)
})

it('fails when a message fails', async () => {
  const load = startMessageLoad([() => Promise.reject(new Error('The database is gone.'))])
  await expect(load.stop()).rejects.toThrow('The database is gone.')
})
