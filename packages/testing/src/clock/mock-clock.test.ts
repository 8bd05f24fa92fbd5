import { describe, expect, it } from 'vitest'
import { createClock } from './mock-clock.ts'

const startMs = Date.UTC(2026, 10, 21)
const manual = () => createClock({ startMs, isManual: true })
const automatic = () => createClock({ startMs, isManual: false })

describe('a clock that is advanced', () => {
  it('does what is due in order, and what comes of it', async () => {
    const clock = manual()
    const seen: string[] = []
    const note = (what: string) => () => seen.push(`${what} at ${clock.now() - startMs}`)
    clock.schedule(note('late'), 300)
    clock.schedule(note('first'), 100)
    clock.schedule(() => {
      note('second')()
      clock.schedule(note('third'), 50)
    }, 200)
    await clock.advance(250)
    expect(seen).toEqual(['first at 100', 'second at 200', 'third at 250'])
    expect(clock.now()).toBe(startMs + 250)
  })

  it('does not do what was called off', async () => {
    const clock = manual()
    let rang = false
    const stop = clock.schedule(() => {
      rang = true
    }, 10)
    stop()
    await clock.advance(100)
    expect(rang).toBe(false)
  })

  it('lets promises go on between two timers', async () => {
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

  it('stands still while somebody waits, when time is manual', async () => {
    const clock = manual()
    let rang = false
    clock.hold(() => {
      rang = true
    }, 5)
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect([rang, clock.now()]).toEqual([false, startMs])
  })
})

describe('a clock whose time passes by itself', () => {
  it('goes to what somebody waits for, and does what is due on the way', async () => {
    const clock = automatic()
    const seen: string[] = []
    clock.schedule(() => seen.push('on the way'), 500)
    clock.schedule(() => seen.push('too late'), 5_000)
    await new Promise<void>((resolve) => void clock.hold(resolve, 1_000))
    expect(seen).toEqual(['on the way'])
    expect(clock.now()).toBe(startMs + 1_000)
  })

  it('stands still for what nobody waits for', async () => {
    const clock = automatic()
    clock.schedule(() => {}, 10)
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(clock.now()).toBe(startMs)
  })

  it('waits for what is going on before it lets time pass', async () => {
    const clock = automatic()
    const done = clock.busy()
    let rang = false
    clock.hold(() => {
      rang = true
    }, 10)
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(rang).toBe(false)
    done()
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(rang).toBe(true)
  })
})

it('begins anew after a reset', async () => {
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
