import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { startDeadline, systemClock } from './clock.ts'

/** Creates a clock whose timers run only when the test calls them. */
const createTimerQueue = () => {
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

it('calls back after timers that add up to the timeout', () => {
  const clock = createTimerQueue()
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

it('does not call back after the deadline is canceled', () => {
  const clock = createTimerQueue()
  const cancel = startDeadline(clock, 1_200, () => expect.unreachable())
  clock.timers.shift()?.callback()
  cancel()
  expect(clock.timers).toEqual([])
})

it('ignores time during which the event loop is blocked', async () => {
  let timedOut = false
  const cancel = startDeadline(systemClock, 800, () => {
    timedOut = true
  })
  const untilMs = performance.now() + 1_000
  while (performance.now() < untilMs);
  await sleep(50)
  expect(timedOut).toBe(false)
  cancel()
})

it('before calling back, lets the event loop read a response that has already arrived', async () => {
  const order: string[] = []
  const server = createServer((socket) => socket.end('response')).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  const { connect } = await import('node:net')
  const socket = connect(port, '127.0.0.1')
  socket.on('data', () => order.push('response'))
  await new Promise((resolve) => socket.once('connect', resolve))
  const timeout = new Promise<void>((resolve) => {
    startDeadline(systemClock, 20, () => {
      order.push('timeout')
      resolve()
    })
  })
  const untilMs = performance.now() + 200
  while (performance.now() < untilMs);
  await timeout
  socket.destroy()
  server.close()
  expect(order).toEqual(['response', 'timeout'])
})
