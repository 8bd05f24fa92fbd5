import { randomUUID } from 'node:crypto'
import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { problemMediaType } from '@flowpost/contract'
import { toProblem } from '@flowpost/contract/rules'
import { ApiError } from '../../shared/api-error.ts'
import { securityHeaderValues } from '../hardening.ts'

const closing = new WeakSet<Socket>()

/**
 * Writes a response directly to a socket, then closes the connection. For up to `lingerMs` milliseconds, discards the
 * data that the client still sends, because closing at once could reset the connection before the client has read the
 * response.
 */
const respondAndClose = (socket: Socket, lingerMs: number, status: number, problem?: ApiError): void => {
  const requestId = randomUUID()
  const body = problem ? JSON.stringify(toProblem(problem, requestId)) : ''
  const headers = {
    ...securityHeaderValues,
    ...problem?.headers,
    'X-Request-Id': requestId,
    Connection: 'close',
    'Content-Length': Buffer.byteLength(body),
    ...(problem ? { 'Content-Type': `${problemMediaType}; charset=utf-8` } : {}),
  }
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  closing.add(socket)
  // Node does not handle errors on sockets that it has handed over to a listener, for example after CONNECT.
  socket.on('error', () => socket.destroy())
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('')}\r\n${body}`)
  socket.resume()
  const timer = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(timer))
}

const noTunnel = new ApiError('method_not_allowed', 'This server does not support CONNECT.', {
  headers: { Allow: 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS' },
})

/** Responds to requests that cannot be routed, and closes their connections. */
export interface ConnectionCloser {
  /**
   * Handles Node's `clientError` event: a request that is malformed or has exceeded one of Node's timeouts. Responds to a
   * timeout with a 408 without a body, because a client that slow is unlikely to read a body.
   */
  readonly malformed: (error: NodeJS.ErrnoException, socket: Socket & { _httpMessage?: ServerResponse | null }) => void
  /** Rejects a CONNECT request. */
  readonly tunnel: (socket: Socket) => void
}

/**
 * Creates a {@link ConnectionCloser}.
 * @param lingerMs how long, in milliseconds, the client may take to read the response and close the connection.
 */
export const createConnectionCloser = (lingerMs: number): ConnectionCloser => ({
  malformed: (error, socket) => {
    // Node emits `clientError` again when more data of a rejected request arrives.
    if (closing.has(socket)) return
    const current = socket._httpMessage
    // It is too late for a response, the client has disconnected, or the response would be read as that to an earlier request.
    if (!socket.writable || current?.headersSent || current?.req.complete || error.code === 'ECONNRESET') {
      socket.destroy()
      return
    }
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
      respondAndClose(socket, lingerMs, 408)
      return
    }
    const detail = error.code === 'HPE_HEADER_OVERFLOW' ? 'The headers are too large.' : 'The request is not well-formed HTTP.'
    respondAndClose(socket, lingerMs, 400, new ApiError('malformed_header', detail))
  },
  tunnel: (socket) => respondAndClose(socket, lingerMs, noTunnel.status, noTunnel),
})
