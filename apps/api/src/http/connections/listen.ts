import { once } from 'node:events'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { createConnectionCloser } from './close-connection.ts'
import { createUnreadResponses } from './unread-responses.ts'

/** How long clients may take, in milliseconds, and how many there may be. */
export interface ConnectionLimits {
  /** For the headers of a request. */
  readonly headersMs: number
  /** For a whole request. */
  readonly requestMs: number
  /** For reading a response once it was written; `checkMs` more at most. */
  readonly responseMs: number
  /** Between two requests. */
  readonly idleMs: number
  /** For closing the connection after an answer that ends it. */
  readonly lingerMs: number
  /** How often the first three are checked. */
  readonly checkMs: number
  /** The most connections at a time; further ones are closed at once. */
  readonly maxConnections: number
}

const defaultLimits: ConnectionLimits = {
  // A client that sends its headers or its body drop by drop must not hold a connection for long.
  headersMs: 10_000,
  requestMs: 30_000,
  // The largest responses have about 1 MiB: a client at 35 kB/s reads one in time.
  responseMs: 30_000,
  // Longer than the idle time of the usual load balancers (60 s), so that they never meet a closing connection.
  idleMs: 65_000,
  lingerMs: 1_000,
  checkMs: 5_000,
  maxConnections: 1_000,
}

const sweepMs = 50
// Long enough for a request that was on its way when the server began to close.
const unusedMs = 500

/** A server that listens. */
export interface Listening {
  readonly port: number
  /** Takes no new requests and waits at most `graceMs` for those that are being answered. */
  close(graceMs: number): Promise<void>
}

/**
 * Listens on a port.
 * @param port 0 for any that is free.
 * @param limits Those that differ from the defaults.
 * @param onRefused Called for each connection over `maxConnections`.
 * @throws Error with the code `EADDRINUSE` when the port is taken.
 */
export const listen = async (
  app: RequestListener,
  host: string,
  port: number,
  limits: Partial<ConnectionLimits> = {},
  onRefused: () => void = () => {},
): Promise<Listening> => {
  const { headersMs, requestMs, responseMs, idleMs, lingerMs, checkMs, maxConnections } = { ...defaultLimits, ...limits }
  const server = createServer(
    {
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      keepAliveTimeout: idleMs,
      connectionsCheckingInterval: checkMs,
      // Node's own answer has no body and no headers; see `require-host.ts`.
      requireHostHeader: false,
    },
    app,
  )
  // Connections that have not brought a request yet: Node counts them as busy until their headers time out.
  const unused = new Set<Socket>()
  const unread = createUnreadResponses(responseMs, () => performance.now())
  server.maxConnections = maxConnections
  server.on('drop', onRefused)
  server.on('connection', (socket: Socket) => {
    unread.add(socket)
    unused.add(socket)
    socket.once('close', () => unused.delete(socket))
  })
  server.on('request', ({ socket }) => unused.delete(socket))
  const closer = createConnectionCloser(lingerMs)
  server.on('clientError', closer.malformed)
  // Node has no answer to CONNECT of its own.
  server.on('connect', (_request, socket: Socket) => closer.tunnel(socket))
  // An expectation that nobody knows may be ignored (RFC 9110, section 10.1.1).
  server.on('checkExpectation', (request, response) => void server.emit('request', request, response))
  server.on('checkContinue', (request, response: ServerResponse) => {
    // While an earlier request of the connection is being answered, Node would write it into the answer to this one.
    if (response.socket) response.writeContinue()
    server.emit('request', request, response)
  })
  server.listen(port, host)
  await once(server, 'listening')
  const sweepUnread = setInterval(unread.sweep, checkMs).unref()
  return {
    port: (server.address() as AddressInfo).port,
    close: async (graceMs) => {
      const closed = once(server, 'close')
      server.close()
      const timer = setTimeout(() => server.closeAllConnections(), graceMs)
      // Closing takes the connections that are idle now; one that is being answered would be kept alive after that.
      const sweep = setInterval(() => server.closeIdleConnections(), sweepMs)
      const unusedTimer = setTimeout(() => {
        for (const socket of unused) socket.destroy()
      }, unusedMs)
      await closed
      clearInterval(sweepUnread)
      clearInterval(sweep)
      clearTimeout(unusedTimer)
      clearTimeout(timer)
    },
  }
}
