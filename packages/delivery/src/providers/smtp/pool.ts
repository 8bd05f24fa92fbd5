import type { Clock } from '../../clock.ts'
import type { SmtpConnection, SmtpMessage, SmtpReceipt } from './connection.ts'
import { SmtpConnectionError } from './connection-error.ts'

/** Limits of a pool. */
export interface SmtpPoolOptions {
  /** Opens one connection. */
  readonly open: (signal: AbortSignal) => Promise<SmtpConnection>
  readonly maxConnections: number
  /** Messages after which a connection is replaced; servers limit it, often to 100. */
  readonly maxMessages: number
  /** How long a connection stays open without use, in milliseconds; below the servers' own limit. */
  readonly maxIdleMs: number
  readonly clock: Clock
}

/** Connections to one server, shared by its messages. */
export interface SmtpPool {
  /** Sends over a free connection, a new one, or the next that gets free, in the order of calling. */
  readonly send: (message: SmtpMessage, signal: AbortSignal, onTransfer: () => void) => Promise<SmtpReceipt>
  /** Opens a connection, logs in, and says goodbye. */
  readonly verify: (signal: AbortSignal) => Promise<void>
  /** Says goodbye on idle connections and drops the others. Whoever waits for one goes on waiting until the signal of the call ends it. */
  readonly close: () => void
}

interface Idle {
  readonly connection: SmtpConnection
  readonly cancelTimer: () => void
}

/** How long a server may take to answer a goodbye when the pool is closed, in milliseconds. */
const goodbyeMs = 1000

/** Makes a pool. It opens connections when they are needed. */
export function createSmtpPool({ open, maxConnections, maxMessages, maxIdleMs, clock }: SmtpPoolOptions): SmtpPool {
  const idle: Idle[] = []
  const all = new Set<SmtpConnection>()
  const waiting: Array<() => void> = []
  let closed = false
  let slots = maxConnections

  async function takeSlot(signal: AbortSignal): Promise<void> {
    if (slots > 0) {
      slots -= 1
      return
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const abort = () => {
      take(waiting, (each) => each === resolve)
      reject(signal.reason)
    }
    signal.addEventListener('abort', abort, { once: true })
    waiting.push(resolve)
    await promise.finally(() => signal.removeEventListener('abort', abort))
  }

  function freeSlot(): void {
    const next = waiting.shift()
    if (next) next()
    else slots += 1
  }

  async function connect(signal: AbortSignal): Promise<SmtpConnection> {
    const connection = await open(signal)
    all.add(connection)
    connection.onEnd(() => {
      all.delete(connection)
      take(idle, (entry) => entry.connection === connection)?.cancelTimer()
    })
    return connection
  }

  /** The most recently used one: it is the least likely to have been dropped by the server, and the others can time out. */
  function takeIdle(): SmtpConnection | undefined {
    const entry = idle.pop()
    entry?.cancelTimer()
    return entry?.connection
  }

  async function giveBack(connection: SmtpConnection): Promise<void> {
    await connection.settled()
    if (connection.isOpen()) {
      if (connection.messages() >= maxMessages || closed) {
        connection.quit()
      } else {
        const cancelTimer = clock.setTimer(() => {
          take(idle, (entry) => entry.connection === connection)
          connection.quit()
        }, maxIdleMs)
        idle.push({ connection, cancelTimer })
      }
    }
    freeSlot()
  }

  async function sendOver(message: SmtpMessage, signal: AbortSignal, onTransfer: () => void): Promise<SmtpReceipt> {
    for (;;) {
      const reused = takeIdle()
      let connection = reused
      let begun = false
      try {
        connection ??= await connect(signal)
        return await connection.send(message, signal, () => {
          begun = true
          onTransfer()
        })
      } catch (error) {
        if (!(reused && !begun && isConnectionLoss(error))) throw error
      } finally {
        if (connection) void giveBack(connection)
        else freeSlot()
      }
      await takeSlot(signal)
    }
  }

  return {
    async send(message, signal, onTransfer) {
      signal.throwIfAborted()
      await takeSlot(signal)
      return sendOver(message, signal, onTransfer)
    },
    async verify(signal) {
      const connection = await connect(signal)
      connection.quit()
    },
    close() {
      closed = true
      for (const { connection, cancelTimer } of idle.splice(0)) {
        cancelTimer()
        connection.quit()
        connection.onEnd(clock.setTimer(() => connection.destroy(), goodbyeMs))
        all.delete(connection)
      }
      for (const connection of all) connection.destroy()
    },
  }
}

/** Takes the first that matches out of a list, if there is one. */
function take<Item>(list: Item[], matches: (item: Item) => boolean): Item | undefined {
  const position = list.findIndex(matches)
  return position < 0 ? undefined : list.splice(position, 1)[0]
}

/** A server may drop an idle connection at any time (RFC 5321 section 4.2.1, reply 421); the message then goes over a new one. */
function isConnectionLoss(error: unknown): boolean {
  if (!(error instanceof SmtpConnectionError)) return false
  return error.response === undefined ? ['ECONNECTION', 'ESOCKET', 'ETIMEDOUT'].includes(error.code) : error.response.startsWith('421')
}
