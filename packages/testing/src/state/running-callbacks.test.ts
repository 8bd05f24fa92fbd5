import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createClock, type InternalClock } from './mock-clock.ts'
import { maxResponseMs, type RunCallbackOptions } from './running-callbacks.ts'

const create = (maxCallbackMs: number) => createClock({ startMs: 0, isManual: false, maxCallbackMs })

/** Runs a callback with a receiver's time limit of 15 s. Resolves to `undefined` if the callback exceeds this limit. */
const runLimited = <Result>(
  clock: InternalClock,
  callback: () => Promise<Result>,
  options?: RunCallbackOptions,
): Promise<Result | undefined> =>
  new Promise((resolve, reject) => {
    const stop = clock.scheduleLimit(() => resolve(undefined), maxResponseMs)
    clock.runCallback(callback, options).finally(stop).then(resolve, reject)
  })

const never = () => new Promise<never>(() => {})

const sleep = (clock: InternalClock, ms: number) => new Promise<void>((resolve) => void clock.scheduleAwaited(resolve, ms))

describe('a callback whose timers are added by other code', () => {
  it('stops the time again when a timer has fired', async () => {
    const clock = create(200)
    const callOutside = AsyncLocalStorage.snapshot()
    const wait = async () => {
      await callOutside(async () => {
        await sleep(clock, 1_000)
        await setTimeout(50)
        await sleep(clock, 1_000)
        await setTimeout(50)
      })
      return clock.now()
    }
    expect(await runLimited(clock, wait)).toBe(2_000)
  })

  it('stops the time again when it has advanced the clock', async () => {
    const clock = create(200)
    const callOutside = AsyncLocalStorage.snapshot()
    const advance = async () => {
      await callOutside(() => clock.advance(1_000))
      await setTimeout(50)
      return clock.now()
    }
    expect(await runLimited(clock, advance)).toBe(1_000)
  })

  it('does not wait for real time if it is detached', async () => {
    const clock = create(600_000)
    const callOutside = AsyncLocalStorage.snapshot()
    const wait = async () => {
      await callOutside(() => sleep(clock, 1_000))
      await setTimeout(20)
      return clock.now()
    }
    expect(await runLimited(clock, wait, { isDetached: true })).toBe(1_000)
  })

  it('has its 15 s left if it is detached and works while other code waits', async () => {
    const clock = create(600_000)
    const work = async () => {
      await setTimeout(20)
      return clock.now()
    }
    const working = runLimited(clock, work, { isDetached: true })
    await sleep(clock, 25_000)
    expect(await working).toBe(0)
  })
})

describe('the limit of real time', () => {
  const isInTime = (clock: InternalClock, realMs: number) => runLimited(clock, () => setTimeout(realMs, true))

  it('returns to its maximum when a callback settles late', async () => {
    const clock = create(200)
    await runLimited(clock, never)
    expect(await isInTime(clock, 120)).toBeUndefined()
    await setTimeout(120)
    expect(await isInTime(clock, 120)).toBe(true)
  })

  it('stays short when a callback that does not respond is aborted', async () => {
    const clock = create(400)
    for (let count = 0; count < 3; count += 1) {
      const rejectAtLimit = () => new Promise((_, reject) => void clock.scheduleLimit(() => reject(new Error('aborted')), maxResponseMs))
      await expect(clock.runCallback(rejectAtLimit)).rejects.toThrow('aborted')
    }
    expect(await isInTime(clock, 200)).toBeUndefined()
  })

  it('does not shrink when a callback of a time before a reset never settles', async () => {
    const clock = create(200)
    void clock.runCallback(never)
    await setTimeout(100)
    clock.reset()
    const working = isInTime(clock, 150)
    expect(await working).toBe(true)
    expect(await isInTime(clock, 150)).toBe(true)
  })

  it('does not slow down the timers after a callback that never settles', async () => {
    const clock = create(100)
    await runLimited(clock, never)
    const startedAt = performance.now()
    for (let count = 0; count < 10; count += 1) await sleep(clock, 1_000)
    expect(performance.now() - startedAt).toBeLessThan(100)
  })
})
