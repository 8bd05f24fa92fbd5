import { createServer } from 'node:net'
import { sharedClockMs } from '../load/generate-load.ts'
import { listenOnLoopback } from '../processes/listen-on-loopback.ts'
import { expose } from '../processes/rpc.ts'
import { createSmtpSession } from './smtp-session.ts'

/** The accepted messages in the order of acceptance. Times come from {@link sharedClockMs}. */
export interface Accepted {
  readonly atMs: Float64Array
  readonly recipients: readonly string[]
}

let atMs: number[] = []
let recipients: string[] = []
let awaited: { count: number; resolve: () => void } | undefined

const onMessage = (recipient: string) => {
  atMs.push(sharedClockMs())
  recipients.push(recipient)
  if (awaited && recipients.length >= awaited.count) awaited.resolve()
}

const program = {
  /** Starts the server. Returns its port. */
  start: async () => {
    const server = createServer({ noDelay: true }, (socket) => {
      const { receive } = createSmtpSession((line) => void socket.write(`${line}\r\n`), onMessage)
      socket.on('data', receive)
      socket.on('error', () => socket.destroy())
      socket.write('220 sink\r\n')
    })
    return listenOnLoopback(server)
  },
  /** Forgets all accepted messages. */
  reset: async () => {
    atMs = []
    recipients = []
  },
  /** Waits until `count` messages have arrived since the last reset. Rejects after `timeoutMs`. */
  wait: async ({ count, timeoutMs }: { count: number; timeoutMs: number }) => {
    if (recipients.length >= count) return
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const timer = setTimeout(
      () => reject(new Error(`${recipients.length} of ${count} messages arrived within ${timeoutMs} ms.`)),
      timeoutMs,
    )
    awaited = { count, resolve }
    await promise
    clearTimeout(timer)
  },
  accepted: async (): Promise<Accepted> => ({ atMs: Float64Array.from(atMs), recipients }),
}

/** The functions that the mail server exposes. */
export type SmtpSink = typeof program

expose(program)
