import type { Socket } from 'node:net'

/** What is pending on a connection. */
interface Pending {
  /** The number of bytes that have to leave, counted from the start of the connection. */
  readonly goal: number
  readonly since: number
}

/** Finds connections whose client does not read. */
export interface UnreadResponses {
  readonly add: (socket: Socket) => void
  /** Destroys connections on which bytes have waited for longer than the deadline. Call it several times within one. */
  readonly sweep: () => void
}

/**
 * Limits how long a response may wait in memory for its client to read it. Node has no such limit of its own: its socket
 * time-out begins again with every byte, so a client that reads one from time to time would hold a response forever.
 *
 * One sweep looks at all connections, because a timer for each response would cost more than all the rest of it.
 * @param deadlineMs How long written bytes may take to leave the process.
 */
export const createUnreadResponses = (deadlineMs: number, nowMs: () => number): UnreadResponses => {
  const pending = new Map<Socket, Pending | undefined>()
  return {
    add: (socket) => {
      pending.set(socket, undefined)
      socket.once('close', () => pending.delete(socket))
    },
    sweep: () => {
      const now = nowMs()
      for (const [socket, before] of pending) {
        const waiting = socket.writableLength
        const written = socket.bytesWritten
        // Later bytes have a deadline of their own: a client that pipelines may always have some waiting.
        const isSame = before !== undefined && waiting > 0 && written - waiting < before.goal
        if (!isSame) pending.set(socket, waiting > 0 ? { goal: written, since: now } : undefined)
        else if (now - before.since >= deadlineMs) socket.destroy()
      }
    },
  }
}
