import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createClock } from './mock-clock.ts'

const startMs = Date.UTC(2026, 10, 21)
const manual = () => createClock({ startMs, isManual: true })
const automatic = () => createClock({ startMs, isManual: false })

describe('a manual clock', () => {
  it('runs due timers in order, including timers that they add', async () => {
    const clock = manual()
    const seen: string[] = []
    const record = (what: string) => () => seen.push(`${what} at ${clock.now() - startMs}`)
    clock.schedule(record('late'), 300)
    clock.schedule(record('first'), 100)
    clock.schedule(() => {
      record('second')()
      clock.schedule(record('third'), 50)
    }, 200)
    await clock.advance(250)
    expect(seen).toEqual(['first at 100', 'second at 200', 'third at 250'])
    expect(clock.now()).toBe(startMs + 250)
  })

  it('does not run a canceled timer', async () => {
    const clock = manual()
    let rang = false
    const stop = clock.schedule(() => {
      rang = true
    }, 10)
    stop()
    await clock.advance(100)
    expect(rang).toBe(false)
  })

  it('settles promises between two timers', async () => {
    const clock = manual()
    const seen: number[] = []
    const work = async () => {
      for (let round = 0; round < 3; round += 1) {
        await new Promise<void>((resolve) => void clock.schedule(resolve, 1_000))
        seen.push(clock.now() - startMs)
      }
    }
    const done = work()
    await clock.advance(3_000)
    await done
    expect(seen).toEqual([1_000, 2_000, 3_000])
  })

  it('does not advance for an awaited timer', async () => {
    const clock = manual()
    let rang = false
    clock.scheduleAwaited(() => {
      rang = true
    }, 5)
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect([rang, clock.now()]).toEqual([false, startMs])
  })
})

describe('an automatic clock', () => {
  it('advances to an awaited timer and runs due timers before it', async () => {
    const clock = automatic()
    const seen: string[] = []
    clock.schedule(() => seen.push('on the way'), 500)
    clock.schedule(() => seen.push('too late'), 5_000)
    await new Promise<void>((resolve) => void clock.scheduleAwaited(resolve, 1_000))
    expect(seen).toEqual(['on the way'])
    expect(clock.now()).toBe(startMs + 1_000)
  })

  it('does not advance for other timers', async () => {
    const clock = automatic()
    clock.schedule(() => {}, 10)
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(clock.now()).toBe(startMs)
  })

  it('does not advance while work is in progress', async () => {
    const clock = automatic()
    const done = clock.markBusy()
    let rang = false
    clock.scheduleAwaited(() => {
      rang = true
    }, 10)
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(rang).toBe(false)
    done()
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(rang).toBe(true)
  })

  it('advances while a receiver waits for a timer that was added since its request', async () => {
    const clock = automatic()
    const done = clock.markReceiving()
    await new Promise<void>((resolve) => void clock.scheduleAwaited(resolve, 10))
    done()
    expect(clock.now()).toBe(startMs + 10)
  })

  it('does not advance to an earlier timer while a receiver works', async () => {
    const clock = automatic()
    const waiting = new Promise<void>((resolve) => void clock.scheduleAwaited(resolve, 10))
    const done = clock.markReceiving()
    for (let turn = 0; turn < 20; turn += 1) await setImmediate()
    expect(clock.now()).toBe(startMs)
    done()
    await waiting
    expect(clock.now()).toBe(startMs + 10)
  })
})

it('returns to its start after a reset', async () => {
  const clock = manual()
  let rang = false
  clock.schedule(() => {
    rang = true
  }, 10)
  await clock.advance(5)
  clock.reset()
  await clock.advance(100)
  expect(rang).toBe(false)
  clock.reset()
  expect(clock.now()).toBe(startMs)
})
