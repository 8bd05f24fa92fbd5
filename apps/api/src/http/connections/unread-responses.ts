import type { Socket } from 'node:net'

/** The unread bytes on a connection. */
interface Pending {
  /** The number of bytes, counted from the start of the connection, that the client must read before the deadline. */
  readonly goal: number
  readonly since: number
}

/** Detects connections whose client does not read its responses. */
export interface UnreadResponses {
  readonly add: (socket: Socket) => void
  /**
   * Destroys connections whose client has left response bytes unread for longer than the deadline. Call this function at
   * intervals that are much shorter than the deadline.
   */
  readonly sweep: () => void
}

/**
 * Limits how long a response may wait in memory for its client. Node's socket timeout restarts with every byte, so a
 * slow reader could hold a response forever. One sweep checks all connections, which is cheaper than a timer per
 * response.
 * @param deadlineMs how long, in milliseconds, written bytes may wait in this process.
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
      for (const [socket, earlier] of pending) {
        const waiting = socket.writableLength
        const written = socket.bytesWritten
        // Once the bytes up to `goal` have been read, a new deadline starts for the bytes that follow. A client that pipelines
        // requests may always have some unread bytes. A single deadline would disconnect it although it reads its responses.
        const isSame = earlier !== undefined && waiting > 0 && written - waiting < earlier.goal
        if (!isSame) pending.set(socket, waiting > 0 ? { goal: written, since: now } : undefined)
        else if (now - earlier.since >= deadlineMs) socket.destroy()
      }
    },
  }
}
