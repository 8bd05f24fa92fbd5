import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type RequestListener, type ServerResponse, STATUS_CODES } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { problemMediaType } from '@flowpost/contract'
import { ApiError } from '../shared/api-error.ts'
import { problemOf } from './problem.ts'
import { securityHeaderValues } from './security-headers.ts'

/** How long a client may take, in milliseconds. */
export interface ConnectionLimits {
  /** For the headers of a request. */
  readonly headersMs: number
  /** For a whole request. */
  readonly requestMs: number
  /** Between two requests. */
  readonly idleMs: number
  /** How often the first two are looked at. */
  readonly checkMs: number
}

const defaultLimits: ConnectionLimits = {
  // A client that sends its headers or its body drop by drop must not hold a connection for long.
  headersMs: 10_000,
  requestMs: 30_000,
  // Longer than the idle time of the usual load balancers (60 s), so that they never meet a closing connection.
  idleMs: 65_000,
  checkMs: 5_000,
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

/** Answers on a connection that no request can be answered on, and ends it. */
const answerAndEnd = (socket: Socket, status: number, problem: ApiError | undefined): void => {
  const requestId = randomUUID()
  const body = problem ? JSON.stringify(problemOf(problem, requestId)) : ''
  const headers = {
    ...securityHeaderValues,
    ...problem?.headers,
    'X-Request-Id': requestId,
    Connection: 'close',
    'Content-Length': Buffer.byteLength(body),
    ...(problem ? { 'Content-Type': `${problemMediaType}; charset=utf-8` } : {}),
  }
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('')}\r\n${body}`)
}

/**
 * Answers what is not HTTP, or comes too slowly: there is no request that a handler could answer. 408 has no
 * problem code, because no client that could read one gets it.
 */
const answerMalformed = (error: NodeJS.ErrnoException, socket: Socket & { _httpMessage?: ServerResponse | null }): void => {
  // An answer that has begun cannot be taken back.
  if (!socket.writable || socket._httpMessage?.headersSent || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    answerAndEnd(socket, 408, undefined)
    return
  }
  const detail = error.code === 'HPE_HEADER_OVERFLOW' ? 'The headers are too large.' : 'The request is not well-formed HTTP.'
  answerAndEnd(socket, 400, new ApiError('malformed_header', detail))
}

const noTunnel = new ApiError('method_not_allowed', 'This server makes no tunnels.', {
  headers: { Allow: 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS' },
})

/**
 * Listens on a port.
 * @param port 0 for any that is free.
 * @throws Error with the code `EADDRINUSE` when the port is taken.
 */
export const listen = async (app: RequestListener, host: string, port: number, limits = defaultLimits): Promise<Listening> => {
  const { headersMs, requestMs, idleMs, checkMs } = limits
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
  server.on('connection', (socket: Socket) => {
    unused.add(socket)
    socket.once('close', () => unused.delete(socket))
  })
  server.on('request', ({ socket }) => unused.delete(socket))
  server.on('clientError', answerMalformed)
  // Node has no answer to CONNECT of its own.
  server.on('connect', (_request, socket: Socket) => answerAndEnd(socket, noTunnel.status, noTunnel))
  // An expectation that nobody knows may be ignored (RFC 9110, section 10.1.1).
  server.on('checkExpectation', (request, response) => void server.emit('request', request, response))
  server.on('checkContinue', (request, response: ServerResponse) => {
    // While an earlier request of the connection is being answered, Node would write it into the answer to this one.
    if (response.socket) response.writeContinue()
    server.emit('request', request, response)
  })
  server.listen(port, host)
  await once(server, 'listening')
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
      clearInterval(sweep)
      clearTimeout(unusedTimer)
      clearTimeout(timer)
    },
  }
}
