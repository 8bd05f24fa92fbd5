import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { sharedClockMs } from '../load/generate-load.ts'
import { offer } from '../processes/calls.ts'
import { createSmtpSession } from './smtp-session.ts'

/** When each message was accepted, by the clock that all processes share, in the order of acceptance. */
export interface Accepted {
  readonly atMs: Float64Array
  readonly receivers: readonly string[]
}

let atMs: number[] = []
let receivers: string[] = []
let awaited: { count: number; resolve: () => void } | undefined

const onMessage = (receiver: string) => {
  atMs.push(sharedClockMs())
  receivers.push(receiver)
  if (awaited && receivers.length >= awaited.count) awaited.resolve()
}

const program = {
  /** @returns the port that mail can be sent to. */
  start: async () => {
    const server = createServer({ noDelay: true }, (socket) => {
      const { receive } = createSmtpSession((line) => void socket.write(`${line}\r\n`), onMessage)
      socket.on('data', receive)
      socket.on('error', () => socket.destroy())
      socket.write('220 sink\r\n')
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  },
  /** Forgets what was accepted. */
  reset: async () => {
    atMs = []
    receivers = []
  },
  /** Waits for so many messages since the last reset. Rejects when they do not come. */
  wait: async ({ count, timeoutMs }: { count: number; timeoutMs: number }) => {
    if (receivers.length >= count) return
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const timer = setTimeout(() => reject(new Error(`${receivers.length} of ${count} messages came in ${timeoutMs} ms.`)), timeoutMs)
    awaited = { count, resolve }
    await promise
    clearTimeout(timer)
  },
  accepted: async (): Promise<Accepted> => ({ atMs: Float64Array.from(atMs), receivers }),
}

/** What the sink offers. */
export type SmtpSink = typeof program

offer(program)
