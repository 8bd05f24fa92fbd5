import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { systemClock } from './clock.ts'
import { startDeadline } from './deadline.ts'

/** A clock whose timers run when the test says so, however late. */
const manualClock = () => {
  const timers: { callback: () => void; delayMs: number }[] = []
  return {
    timers,
    now: () => 0,
    setTimer: (callback: () => void, delayMs: number) => {
      const timer = { callback, delayMs }
      timers.push(timer)
      return () => void timers.splice(timers.indexOf(timer), 1)
    },
  }
}

it('calls back after steps that add up to the timeout', () => {
  const clock = manualClock()
  let calls = 0
  startDeadline(clock, 1_200, () => {
    calls += 1
  })
  const delays: number[] = []
  for (let timer = clock.timers.shift(); timer; timer = clock.timers.shift()) {
    delays.push(timer.delayMs)
    expect(calls).toBe(0)
    timer.callback()
  }
  expect(delays).toEqual([500, 500, 200, 0])
  expect(calls).toBe(1)
})

it('does not call back once it is canceled, at whatever step', () => {
  const clock = manualClock()
  const cancel = startDeadline(clock, 1_200, () => expect.unreachable())
  clock.timers.shift()?.callback()
  cancel()
  expect(clock.timers).toEqual([])
})

it('does not count time in which the event loop was blocked', async () => {
  let over = false
  const cancel = startDeadline(systemClock, 800, () => {
    over = true
  })
  const untilMs = performance.now() + 1_000
  while (performance.now() < untilMs);
  await sleep(50)
  expect(over).toBe(false)
  cancel()
})

it('reads an answer that has arrived before it calls back', async () => {
  const order: string[] = []
  const server = createServer((socket) => socket.end('answer')).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  const { connect } = await import('node:net')
  const socket = connect(port, '127.0.0.1')
  socket.on('data', () => order.push('answer'))
  await new Promise((resolve) => socket.once('connect', resolve))
  const called = new Promise<void>((resolve) => {
    startDeadline(systemClock, 20, () => {
      order.push('timeout')
      resolve()
    })
  })
  const untilMs = performance.now() + 200
  while (performance.now() < untilMs);
  await called
  socket.destroy()
  server.close()
  expect(order).toEqual(['answer', 'timeout'])
})
