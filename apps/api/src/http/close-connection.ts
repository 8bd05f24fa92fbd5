import { randomUUID } from 'node:crypto'
import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { problemMediaType } from '@flowpost/contract'
import { toProblem } from '@flowpost/contract/rules'
import { ApiError } from '../shared/api-error.ts'
import { securityHeaderValues } from './security-headers.ts'

const closing = new WeakSet<Socket>()

/**
 * Answers on a connection that no request can be answered on, and closes it. The client may stay half open for
 * `lingerMs`; what it sends in that time is discarded, so that a reset does not take the answer from it.
 */
const answerAndClose = (socket: Socket, lingerMs: number, status: number, problem?: ApiError): void => {
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
  // Node no longer listens for errors on a connection that it hands over, as after CONNECT.
  socket.on('error', () => socket.destroy())
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('')}\r\n${body}`)
  socket.resume()
  const timer = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(timer))
}

const noTunnel = new ApiError('method_not_allowed', 'This server makes no tunnels.', {
  headers: { Allow: 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS' },
})

/** Answers and closes connections that no handler can answer on. */
export interface ConnectionCloser {
  /**
   * Closes the connection of a request that is not HTTP, or comes too slowly. 408 has no problem code, because no client
   * that could read one gets it.
   */
  readonly malformed: (error: NodeJS.ErrnoException, socket: Socket & { _httpMessage?: ServerResponse | null }) => void
  /** Closes the connection of a CONNECT. */
  readonly tunnel: (socket: Socket) => void
}

/**
 * Makes a {@link ConnectionCloser}.
 * @param lingerMs How long a client has to read its answer and close, before the connection is destroyed.
 */
export const createConnectionCloser = (lingerMs: number): ConnectionCloser => ({
  malformed: (error, socket) => {
    // Each further chunk is malformed too.
    if (closing.has(socket)) return
    // A response that has begun cannot be taken back.
    if (!socket.writable || socket._httpMessage?.headersSent || error.code === 'ECONNRESET') {
      socket.destroy()
      return
    }
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
      answerAndClose(socket, lingerMs, 408)
      return
    }
    const detail = error.code === 'HPE_HEADER_OVERFLOW' ? 'The headers are too large.' : 'The request is not well-formed HTTP.'
    answerAndClose(socket, lingerMs, 400, new ApiError('malformed_header', detail))
  },
  tunnel: (socket) => answerAndClose(socket, lingerMs, noTunnel.status, noTunnel),
})
