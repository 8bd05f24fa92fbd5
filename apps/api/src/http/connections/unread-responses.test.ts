import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { expect, it } from 'vitest'
import { createUnreadResponses } from './unread-responses.ts'

/** Creates a fake socket with only the members that the code under test uses. */
const createSocket = () => {
  const emitter = new EventEmitter()
  return Object.assign(emitter, {
    bytesWritten: 0,
    writableLength: 0,
    destroyed: false,
    destroy() {
      this.destroyed = true
      emitter.emit('close')
    },
  })
}

const sweepEvery = (stepMs: number, count: number, eachStep: (socket: ReturnType<typeof createSocket>) => void) => {
  let now = 0
  const unread = createUnreadResponses(100, () => now)
  const socket = createSocket()
  unread.add(socket as unknown as Socket)
  for (let step = 0; step < count && !socket.destroyed; step += 1) {
    eachStep(socket)
    unread.sweep()
    now += stepMs
  }
  return { destroyed: socket.destroyed, now }
}

it('keeps the connection of a client that always has unread bytes but reads each of them in time', () => {
  const pipelining = sweepEvery(50, 100, (socket) => {
    socket.bytesWritten += 1_000
    socket.writableLength = 1_500
  })
  expect(pipelining.destroyed).toBe(false)
})

it('destroys a connection whose bytes are only partly read at the deadline', () => {
  const dripping = sweepEvery(50, 100, (socket) => {
    socket.bytesWritten = 1_000
    socket.writableLength = socket.writableLength === 0 ? 1_000 : socket.writableLength - 1
  })
  expect(dripping).toEqual({ destroyed: true, now: 150 })
})

it('keeps an idle connection', () => {
  expect(sweepEvery(50, 100, () => {}).destroyed).toBe(false)
})
