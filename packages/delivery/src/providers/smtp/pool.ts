import type { Clock } from '../../clock.ts'
import type { SendContext } from '../../provider.ts'
import type { SmtpConnection, SmtpMessage, SmtpReceipt } from './connection.ts'
import { SmtpConnectionError } from './errors.ts'

/** Options for {@link createSmtpPool}. */
export interface SmtpPoolOptions {
  /** Opens one connection. */
  readonly open: (signal: AbortSignal) => Promise<SmtpConnection>
  readonly maxConnections: number
  /** The number of messages after which a connection is closed and replaced. Servers limit this number, often to 100. */
  readonly maxMessagesPerConnection: number
  /**
   * The idle time, in milliseconds, after which a connection is closed. Must be shorter than the time after which
   * servers close idle connections.
   */
  readonly maxIdleMs: number
  readonly clock: Clock
}

/** The part of a `SendContext` that the pool needs. */
type SmtpSendContext = Pick<SendContext<unknown, unknown, unknown>, 'signal' | 'markSendStarted' | 'withoutTimeout'>

/** A pool of connections to one server. */
export interface SmtpPool {
  /**
   * Sends a message over an idle connection or a new one. When `maxConnections` connections are in use, calls wait in order
   * for the next free one. The time limit of a call does not include this wait.
   */
  readonly send: (message: SmtpMessage, context: SmtpSendContext) => Promise<SmtpReceipt>
  /** Checks that a connection can be opened and that the login succeeds. Closes the connection afterwards. */
  readonly verify: (signal: AbortSignal) => Promise<void>
  /**
   * Closes idle connections with QUIT, and connections in use immediately. Does not end calls that are still waiting
   * for a connection or are opening one: to end these calls, abort their signals.
   */
  readonly close: () => void
}

interface IdleConnection {
  readonly connection: SmtpConnection
  readonly cancelIdleTimer: () => void
}

/** The time limit, in milliseconds, for QUIT. */
const quitTimeoutMs = 1000

/** Creates a connection pool that opens connections when they are needed. */
export function createSmtpPool(options: SmtpPoolOptions): SmtpPool {
  const { open, maxConnections, maxMessagesPerConnection, maxIdleMs, clock } = options
  const idle: IdleConnection[] = []
  const connections = new Set<SmtpConnection>()
  const waiters: Array<() => void> = []
  let closed = false
  let freeSlots = maxConnections

  async function acquireSlot({ signal, withoutTimeout }: SmtpSendContext): Promise<void> {
    if (freeSlots > 0) freeSlots -= 1
    else await withoutTimeout(() => waitForSlot(signal))
  }

  async function waitForSlot(signal: AbortSignal): Promise<void> {
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

  /**
   * Removes and returns the most recently used idle connection, which the server is least likely to have closed. Surplus
   * connections stay idle until they time out.
   */
  function takeIdle(): SmtpConnection | undefined {
    const entry = idle.pop()
    entry?.cancelIdleTimer()
    return entry?.connection
  }

  /** Closes a connection with QUIT. If the server does not reply in time, closes the connection without its reply. */
  function quit(connection: SmtpConnection): void {
    connection.quit()
    connection.onEnd(clock.setTimer(() => connection.destroy(), quitTimeoutMs))
  }

  /** Makes a connection idle or closes it. Releases the slot when the connection can be used again or has ended. */
  async function release(connection: SmtpConnection): Promise<void> {
    await connection.ready()
    if (connection.isOpen() && (connection.messageCount() >= maxMessagesPerConnection || closed)) {
      quit(connection)
      connection.onEnd(releaseSlot)
      return
    }
    if (connection.isOpen()) idle.push({ connection, cancelIdleTimer: clock.setTimer(() => quitIdle(connection), maxIdleMs) })
    releaseSlot()
  }

  /**
   * Closes an idle connection with QUIT. Takes a free slot, and releases it when the connection has ended. There are at
   * least as many free slots as idle connections.
   */
  function quitIdle(connection: SmtpConnection): void {
    removeFirst(idle, (entry) => entry.connection === connection)
    freeSlots -= 1
    quit(connection)
    connection.onEnd(releaseSlot)
  }

  /** Sends a message. The caller must have acquired one of the `maxConnections` slots. Releases the slot afterwards. */
  async function sendWithSlot(message: SmtpMessage, { signal, markSendStarted }: SmtpSendContext): Promise<SmtpReceipt> {
    for (;;) {
      const reused = takeIdle()
      let connection = reused
      let transferStarted = false
      let isStale = false
      try {
        connection ??= await connect(signal)
        const onTransferStart = () => {
          transferStarted = true
        }
        // Until the end of the message, the server cannot have accepted it (RFC 5321 section 4.1.1.4), so it counts as not sent.
        return await connection.send(message, signal, onTransferStart, markSendStarted)
      } catch (error) {
        // A server may close an idle connection at any time. In that case, the message is sent over another connection.
        isStale = reused !== undefined && !transferStarted && isConnectionLoss(error)
        if (!isStale) throw error
      } finally {
        if (!isStale) {
          if (connection) void release(connection)
          else releaseSlot()
        }
      }
    }
  }

  return {
    async send(message, context) {
      context.signal.throwIfAborted()
      await acquireSlot(context)
      return sendWithSlot(message, context)
    },
    async verify(signal) {
      const connection = await connect(signal)
      connection.quit()
    },
    close() {
      closed = true
      for (const { connection, cancelIdleTimer } of idle.splice(0)) {
        cancelIdleTimer()
        quit(connection)
        connections.delete(connection)
      }
      for (const connection of connections) connection.destroy()
    },
  }
}

/** Removes the first matching item from a list and returns it, if there is one. */
function removeFirst<Item>(list: Item[], matches: (item: Item) => boolean): Item | undefined {
  const index = list.findIndex(matches)
  return index < 0 ? undefined : list.splice(index, 1)[0]
}

/**
 * Returns whether an error means that the server closed the connection, either with reply 421 (RFC 5321 section 4.2.1) or
 * without a reply.
 */
function isConnectionLoss(error: unknown): boolean {
  if (!(error instanceof SmtpConnectionError)) return false
  return error.response === undefined ? ['ECONNECTION', 'ESOCKET', 'ETIMEDOUT'].includes(error.code) : error.response.startsWith('421')
}
