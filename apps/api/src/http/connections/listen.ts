import { once } from 'node:events'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { ConfigError } from '../../config/config-error.ts'
import { createConnectionCloser } from './close-connection.ts'
import { oneAtATime } from './pipelining.ts'
import { createProbeReserve, reservedConnections } from './probe-reserve.ts'
import { createUnreadResponses } from './unread-responses.ts'

/** The limits on connections. Times are in milliseconds. */
export interface ConnectionLimits {
  /** The maximum time to receive the headers of a request. */
  readonly headersMs: number
  /** The maximum time to receive a whole request. */
  readonly requestMs: number
  /** The maximum time that response data may wait until the client reads it. Can be exceeded by up to `checkMs`. */
  readonly responseMs: number
  /** The maximum time that a connection may be idle between two requests. */
  readonly idleMs: number
  /** The maximum time for a client to close the connection after a rejected request; see {@link createConnectionCloser}. */
  readonly lingerMs: number
  /** The interval at which `headersMs`, `requestMs` and `responseMs` are checked. */
  readonly checkMs: number
  /**
   * The maximum number of open connections. Additional connections are closed, except a few for probes; see
   * {@link createProbeReserve}.
   */
  readonly maxConnections: number
}

const defaultLimits: ConnectionLimits = {
  // Slow senders of headers or bodies must not hold a connection for long.
  headersMs: 10_000,
  requestMs: 30_000,
  // The largest responses are about 1 MiB, which a client at 35 kB/s reads in time.
  responseMs: 30_000,
  // Longer than the idle timeout of common load balancers (60 s), so that they never reuse a closing connection.
  idleMs: 65_000,
  lingerMs: 1_000,
  checkMs: 5_000,
  maxConnections: 1_000,
}

const sweepMs = 50
// The time after which `close` ends connections that have not sent a request yet. It is long enough for a request that was in
// transit when `close` was called.
const unusedMs = 500

// The error codes for a host name that does not exist or cannot be looked up, and for an address that no network interface of
// this machine has.
const hostCodes = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL'])

/** Returns a `ConfigError` if the host is the reason why the server cannot listen; otherwise the error itself. */
const withHostIssue = (error: NodeJS.ErrnoException): Error =>
  hostCodes.has(error.code ?? '')
    ? new ConfigError([`HOST must be an IP address or a host name of this machine, such as 127.0.0.1: ${error.message}`])
    : error

/** A listening server. */
export interface Listening {
  readonly port: number
  /** Stops accepting connections and waits at most `graceMs` milliseconds for requests in progress. */
  close(graceMs: number): Promise<void>
}

/**
 * Listens on a port.
 * @param host the address. `::` means all IPv6 and IPv4 addresses, and also works on a machine without IPv6.
 * @param port the port, or 0 for any free port.
 * @param limits the limits that differ from the defaults.
 * @param onRejected called whenever a connection is closed because of `maxConnections`.
 * @throws ConfigError when this machine does not have the address `host`; Error with the code `EADDRINUSE` when the port is
 * taken.
 */
export const listen = async (
  app: RequestListener,
  host: string,
  port: number,
  limits: Partial<ConnectionLimits> = {},
  onRejected: () => void = () => {},
): Promise<Listening> => {
  const { headersMs, requestMs, responseMs, idleMs, lingerMs, checkMs, maxConnections } = { ...defaultLimits, ...limits }
  const reserve = createProbeReserve(maxConnections, onRejected)
  const server = createServer(
    {
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      keepAliveTimeout: idleMs,
      connectionsCheckingInterval: checkMs,
      // Node's response to a request without a Host header has no body and no security headers. `requireHost` therefore rejects
      // such requests.
      requireHostHeader: false,
    },
    oneAtATime(reserve.guard(app)),
  )
  // Connections that have not sent a request yet. Node counts them as busy until their headers time out.
  const unused = new Set<Socket>()
  const unread = createUnreadResponses(responseMs, () => performance.now())
  server.maxConnections = maxConnections + reservedConnections
  server.on('drop', onRejected)
  server.on('connection', (socket: Socket) => {
    reserve.add(socket)
    unread.add(socket)
    unused.add(socket)
    socket.once('close', () => unused.delete(socket))
  })
  server.on('request', ({ socket }) => unused.delete(socket))
  const closer = createConnectionCloser(lingerMs)
  server.on('clientError', closer.malformed)
  // Node does not respond to CONNECT itself.
  server.on('connect', (_request, socket: Socket) => closer.tunnel(socket))
  // An unknown value in the `Expect` header may be ignored (RFC 9110, section 10.1.1).
  server.on('checkExpectation', (request, response) => void server.emit('request', request, response))
  server.on('checkContinue', (request, response: ServerResponse) => {
    // Does not send `100 Continue` while an earlier request on the connection is in progress, because Node would write it
    // into the response to that request.
    if (response.socket) response.writeContinue()
    server.emit('request', request, response)
  })
  // Without a host, Node listens on `::`, or on `0.0.0.0` if the kernel has no IPv6.
  server.listen(port, host === '::' ? undefined : host)
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    throw withHostIssue(error)
  })
  const sweepUnread = setInterval(unread.sweep, checkMs).unref()
  return {
    port: (server.address() as AddressInfo).port,
    close: async (graceMs) => {
      const closed = once(server, 'close')
      server.close()
      const timer = setTimeout(() => server.closeAllConnections(), graceMs)
      // `server.close` ends the connections that are idle when it is called. This sweep ends the others after their response.
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
