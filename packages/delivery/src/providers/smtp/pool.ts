import type { Clock } from '../../clock.ts'
import type { SmtpConnection, SmtpMessage, SmtpReceipt } from './connection.ts'
import { SmtpConnectionError } from './errors.ts'

/** Options of an SMTP connection pool. */
export interface SmtpPoolOptions {
  /** Opens one connection. */
  readonly open: (signal: AbortSignal) => Promise<SmtpConnection>
  readonly maxConnections: number
  /** Number of messages after which a connection is replaced. Servers limit this number, often to 100. */
  readonly maxMessagesPerConnection: number
  /** Idle time after which a connection is closed, in milliseconds. Must be below the servers' own limit. */
  readonly maxIdleMs: number
  readonly clock: Clock
}

/** A pool of connections to one server. */
export interface SmtpPool {
  /** Sends over an idle connection or a new one. At the connection limit, calls wait in order for the next free connection. */
  readonly send: (message: SmtpMessage, signal: AbortSignal, onTransfer: () => void) => Promise<SmtpReceipt>
  /** Opens a connection, authenticates and quits. */
  readonly verify: (signal: AbortSignal) => Promise<void>
  /** Quits idle connections and destroys the others. Waiting calls end when their signals abort. */
  readonly close: () => void
}

interface IdleConnection {
  readonly connection: SmtpConnection
  readonly cancelIdleTimer: () => void
}

/** Time limit for QUIT when the pool is closed, in milliseconds. */
const quitTimeoutMs = 1000

/** Creates a pool that opens connections on demand. */
export function createSmtpPool(options: SmtpPoolOptions): SmtpPool {
  const { open, maxConnections, maxMessagesPerConnection, maxIdleMs, clock } = options
  const idle: IdleConnection[] = []
  const connections = new Set<SmtpConnection>()
  const waiters: Array<() => void> = []
  let closed = false
  let freeSlots = maxConnections

  async function acquireSlot(signal: AbortSignal): Promise<void> {
    if (freeSlots > 0) {
      freeSlots -= 1
      return
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const onAbort = () => {
      removeFirst(waiters, (waiter) => waiter === resolve)
      reject(signal.reason)
    }
    signal.addEventListener('abort', onAbort, { once: true })
    waiters.push(resolve)
    await promise.finally(() => signal.removeEventListener('abort', onAbort))
  }

  function releaseSlot(): void {
    const next = waiters.shift()
    if (next) next()
    else freeSlots += 1
  }

  async function connect(signal: AbortSignal): Promise<SmtpConnection> {
    const connection = await open(signal)
    connections.add(connection)
    connection.onEnd(() => {
      connections.delete(connection)
      removeFirst(idle, (entry) => entry.connection === connection)?.cancelIdleTimer()
    })
    return connection
  }

  /** Removes and returns the idle connection that was used last. It is the least likely to be closed, and the others can time out. */
  function takeIdle(): SmtpConnection | undefined {
    const entry = idle.pop()
    entry?.cancelIdleTimer()
    return entry?.connection
  }

  async function release(connection: SmtpConnection): Promise<void> {
    await connection.ready()
    if (connection.isOpen()) {
      if (connection.messageCount() >= maxMessagesPerConnection || closed) {
        connection.quit()
      } else {
        const cancelIdleTimer = clock.setTimer(() => {
          removeFirst(idle, (entry) => entry.connection === connection)
          connection.quit()
        }, maxIdleMs)
        idle.push({ connection, cancelIdleTimer })
      }
    }
    releaseSlot()
  }

  async function sendWithSlot(message: SmtpMessage, signal: AbortSignal, onTransfer: () => void): Promise<SmtpReceipt> {
    for (;;) {
      const reused = takeIdle()
      let connection = reused
      let transferStarted = false
      try {
        connection ??= await connect(signal)
        return await connection.send(message, signal, () => {
          transferStarted = true
          onTransfer()
        })
      } catch (error) {
        // A server may close an idle connection at any time, so the message is sent over another one.
        if (!(reused && !transferStarted && isConnectionLoss(error))) throw error
      } finally {
        if (connection) void release(connection)
        else releaseSlot()
      }
      await acquireSlot(signal)
    }
  }

  return {
    async send(message, signal, onTransfer) {
      signal.throwIfAborted()
      await acquireSlot(signal)
      return sendWithSlot(message, signal, onTransfer)
    },
    async verify(signal) {
      const connection = await connect(signal)
      connection.quit()
    },
    close() {
      closed = true
      for (const { connection, cancelIdleTimer } of idle.splice(0)) {
        cancelIdleTimer()
        connection.quit()
        connection.onEnd(clock.setTimer(() => connection.destroy(), quitTimeoutMs))
        connections.delete(connection)
      }
      for (const connection of connections) connection.destroy()
    },
  }
}

/** Removes and returns the first matching item, if there is one. */
function removeFirst<Item>(list: Item[], matches: (item: Item) => boolean): Item | undefined {
  const index = list.findIndex(matches)
  return index < 0 ? undefined : list.splice(index, 1)[0]
}

/** Returns whether the server closed the connection, with or without reply 421 (RFC 5321 section 4.2.1). */
function isConnectionLoss(error: unknown): boolean {
  if (!(error instanceof SmtpConnectionError)) return false
  return error.response === undefined ? ['ECONNECTION', 'ESOCKET', 'ETIMEDOUT'].includes(error.code) : error.response.startsWith('421')
}
