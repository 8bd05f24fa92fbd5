import type { RequestListener } from 'node:http'
import type { Socket } from 'node:net'

/** The number of connections above the limit that are reserved for probes. */
export const reservedConnections = 8

// The time in which a connection above the limit must send its request. A short time suffices, because a client sends a probe
// as soon as the connection is open.
const maxQuietMs = 500

const probePath = /^\/(?:livez|readyz|metrics)\/?(?:\?|$)/i

/** Returns whether a URL belongs to a liveness or readiness probe, or to the metrics. */
export const isProbe = (url: string): boolean => probePath.test(url)

/** Keeps a few connections free for probes. Otherwise, an orchestrator would restart a process that is only busy. */
export interface ProbeReserve {
  /** Counts a new connection. Closes a connection above the limit if it sends no request within half a second. */
  add(socket: Socket): void
  /**
   * Returns a listener that passes requests to `app`. If a connection is above the limit, the listener passes only probes, and
   * closes the connection on any other request.
   */
  guard(app: RequestListener): RequestListener
}

/**
 * Creates a {@link ProbeReserve}.
 * @param onRejected called whenever the reserve closes a connection because of `maxConnections`.
 */
export const createProbeReserve = (maxConnections: number, onRejected: () => void): ProbeReserve => {
  const surplus = new Map<Socket, NodeJS.Timeout>()
  let open = 0
  const reject = (socket: Socket): void => {
    onRejected()
    socket.destroy()
  }
  return {
    add: (socket) => {
      open += 1
      if (open > maxConnections)
        surplus.set(
          socket,
          setTimeout(() => reject(socket), maxQuietMs),
        )
      socket.once('close', () => {
        open -= 1
        clearTimeout(surplus.get(socket))
        surplus.delete(socket)
      })
    },
    guard: (app) => (request, response) => {
      const timer = surplus.get(request.socket)
      if (timer === undefined) return app(request, response)
      clearTimeout(timer)
      if (!isProbe(request.url ?? '')) return reject(request.socket)
      // Closes the connection after the response, so that the next probe can connect.
      response.shouldKeepAlive = false
      app(request, response)
    },
  }
}
