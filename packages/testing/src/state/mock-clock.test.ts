import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createClock, type InternalClock } from './mock-clock.ts'
import { maxResponseMs } from './running-callbacks.ts'

const startMs = Date.UTC(2026, 10, 21)
const manual = () => createClock({ startMs, isManual: true, maxCallbackMs: 600_000 })
const automatic = () => createClock({ startMs, isManual: false, maxCallbackMs: 600_000 })

/** Runs a callback with a receiver's time limit of 15 s. Rejects if the callback exceeds this limit. */
const runLimited = <Result>(clock: InternalClock, callback: () => Promise<Result>): Promise<Result> =>
  new Promise((resolve, reject) => {
    const stop = clock.scheduleLimit(() => reject(new Error('limit')), maxResponseMs)
    clock.runCallback(callback).finally(stop).then(resolve, reject)
  })

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

  it.each(['scheduleAwaited', 'scheduleExternal'] as const)('advances while a callback waits for a timer of %s', async (schedule) => {
    const clock = automatic()
    await runLimited(clock, () => new Promise<void>((resolve) => void clock[schedule](resolve, 10)))
    expect(clock.now()).toBe(startMs + 10)
  })

  it("does not advance to others' timers, to its limit or to the next work of the mock while a callback works", async () => {
    const clock = automatic()
    const wait = () => new Promise<void>((resolve) => void clock.scheduleAwaited(resolve, 10))
    const earlier = wait()
    const working = runLimited(clock, async () => {
      clock.schedule(() => {}, 5)
      for (let turn = 0; turn < 20; turn += 1) await setImmediate()
      return clock.now()
    })
    await Promise.all([earlier, wait()])
    expect(await working).toBe(startMs)
    expect(clock.now()).toBe(startMs + 10)
  })

  it('passes the limit of a callback that never settles', async () => {
    const clock = createClock({ startMs, isManual: false, maxCallbackMs: 20 })
    await expect(runLimited(clock, () => new Promise(() => {}))).rejects.toThrow('limit')
    expect(clock.now()).toBe(startMs + maxResponseMs)
  })

  it('passes the limits of further callbacks that never settle in less real time', async () => {
    const clock = createClock({ startMs, isManual: false, maxCallbackMs: 400 })
    const startedAt = performance.now()
    for (let count = 0; count < 10; count += 1) await expect(runLimited(clock, () => new Promise(() => {}))).rejects.toThrow('limit')
    expect(performance.now() - startedAt).toBeLessThan(2_000)
  })
})

describe.each([
  ['a manual clock', manual],
  ['an automatic clock', automatic],
])('a callback on %s', (_, create) => {
  it('can advance the time while a test advances it', async () => {
    const clock = create()
    const seen: number[] = []
    const callback = async () => {
      await setImmediate()
      await Promise.all([clock.advance(10), clock.runCallback(() => clock.advance(20))])
      seen.push(clock.now() - startMs)
    }
    clock.schedule(() => void clock.runCallback(callback), 100)
    await clock.advance(1_000)
    expect(seen).toEqual([120])
    expect(clock.now()).toBe(startMs + 1_000)
  })
})

it('advances while a callback may wait for a timer that was added since it started, without AsyncLocalStorage', async () => {
  vi.stubGlobal('process', undefined)
  const clock = automatic()
  vi.unstubAllGlobals()
  const wait = () => new Promise<void>((resolve) => void clock.scheduleAwaited(resolve, 10))
  await runLimited(clock, wait)
  expect(clock.now()).toBe(startMs + 10)
  let finish = () => {}
  const work = new Promise<void>((resolve) => {
    finish = resolve
  })
  const running = clock.runCallback(() => work)
  await wait()
  finish()
  await running
  expect(clock.now()).toBe(startMs + 20)
})

it('does not pass the time of an advance that a reset interrupts', async () => {
  const clock = manual()
  const advancing = clock.advance(1_000)
  clock.reset()
  await advancing
  expect(clock.now()).toBe(startMs)
})

it.each<[unknown, string]>([
  [undefined, 'undefined'],
  [Number.NaN, 'NaN'],
  [Number.POSITIVE_INFINITY, 'Infinity'],
  [-1, '-1'],
  ['5', '"5"'],
])('rejects an advance by %s, and keeps its time', async (ms, shown) => {
  const clock = manual()
  await expect(clock.advance(ms as number)).rejects.toThrow(
    new TypeError(`clock.advance requires a finite number of at least 0, not ${shown}.`),
  )
  expect(clock.now()).toBe(startMs)
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

describe('a clock that was imported while the timers were fake', () => {
  beforeEach(() => {
    vi.resetModules()
    vi.useFakeTimers()
  })
  // Test files share modules, so a module that uses fake timers must not remain loaded.
  afterEach(() => {
    vi.useRealTimers()
    vi.resetModules()
  })

  it('advances', async () => {
    const imported = await import('./mock-clock.ts')
    const clock = imported.createClock({ startMs, isManual: true })
    let rang = false
    clock.schedule(() => {
      rang = true
    }, 10)
    await clock.advance(100)
    expect(rang).toBe(true)
  })
})
