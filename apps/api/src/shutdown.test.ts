import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createShutdown, maxShutdownMs } from './shutdown.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const setUp = (close: (() => Promise<void>) | undefined) => {
  const exits: number[] = []
  const logged: string[] = []
  const note = (...values: unknown[]) => void logged.push(values.at(-1) as string)
  const shutdown = createShutdown({
    log: { info: note, error: note, fatal: note } as never,
    app: () => (close ? { close } : undefined),
    exit: (code) => void exits.push(code),
  })
  return { ...shutdown, exits, logged }
}

const never = () => new Promise<void>(() => {})

it('exits with 0 after a signal, once everything is closed', async () => {
  const closed = Promise.withResolvers<void>()
  const { onSignal, exits } = setUp(() => closed.promise)
  onSignal('SIGTERM')
  await vi.advanceTimersByTimeAsync(1_000)
  expect(exits).toEqual([])
  closed.resolve()
  await vi.advanceTimersByTimeAsync(0)
  expect(exits).toEqual([0])
})

it('exits within 30 s of a signal although something never closes, and says so', async () => {
  const { onSignal, exits, logged } = setUp(never)
  onSignal('SIGTERM')
  await vi.advanceTimersByTimeAsync(maxShutdownMs - 1)
  expect(exits).toEqual([])
  await vi.advanceTimersByTimeAsync(1)
  expect(exits).toEqual([1])
  expect(maxShutdownMs).toBeLessThan(30_000)
  expect(logged.at(-1)).toBe('The shutdown took longer than 28 s; the process ends now.')
})

it('exits at once at the second signal', () => {
  const { onSignal, exits } = setUp(never)
  onSignal('SIGINT')
  onSignal('SIGINT')
  expect(exits).toEqual([1])
})

it('exits at once at a signal during the start', () => {
  const { onSignal, exits } = setUp(undefined)
  onSignal('SIGTERM')
  expect(exits).toEqual([0])
})

it('exits with 1 when closing fails', async () => {
  const { onSignal, exits, logged } = setUp(() => Promise.reject(new Error('It failed.')))
  onSignal('SIGTERM')
  await vi.advanceTimersByTimeAsync(0)
  expect(exits).toEqual([1])
  expect(logged.at(-1)).toBe('Shutdown failed.')
})

it('logs the reason of a fatal error and exits with 1 once everything is closed', async () => {
  const { onFatal, exits, logged } = setUp(async () => {})
  onFatal(new Error('PostgreSQL does not accept DATABASE_URL any more.'))
  onFatal(new Error('A second one.'))
  await vi.advanceTimersByTimeAsync(0)
  expect(exits).toEqual([1])
  expect(logged).toEqual(['PostgreSQL does not accept DATABASE_URL any more.', 'A second one.'])
})
