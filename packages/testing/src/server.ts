import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FlowpostMock } from './mock.ts'

const responseHeaders =
  'ETag, Location, X-Request-Id, Idempotency-Replayed, Flowpost-Settings-Changed, Retry-After, RateLimit, RateLimit-Policy, WWW-Authenticate'

/** Returns the CORS headers for a request. Returns no headers if the request's origin is missing or not allowed. */
export const corsHeaders = (incoming: IncomingMessage, origins: readonly string[]): Record<string, string> => {
  const { origin, 'access-control-request-headers': requestedHeaders } = incoming.headers
  if (origin === undefined || !(origins.includes('*') || origins.includes(origin))) return {}
  const preflight = {
    'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
    'Access-Control-Allow-Headers': requestedHeaders ?? '',
  }
  const isPreflight = incoming.method === 'OPTIONS'
  return {
    'Access-Control-Allow-Origin': origin,
    Vary: 'Origin',
    'Access-Control-Expose-Headers': responseHeaders,
    ...(isPreflight ? preflight : {}),
  }
}

/** Options of a mock server. */
export interface MockServerOptions {
  /**
   * The port. With 0, the server uses a free port.
   * @default 0
   */
  readonly port?: number | undefined
  /**
   * The host name or address to listen on.
   * @default "127.0.0.1"
   */
  readonly host?: string | undefined
  /** The exact origins that may call the server from a browser, or `*` for any origin. Defaults to none. */
  readonly corsOrigins?: readonly string[] | undefined
}

/** A mock that listens on a port. */
export interface MockServer extends AsyncDisposable {
  /** The URL of the server without a trailing slash. */
  readonly url: string
  readonly port: number
  /** Stops the server immediately and closes open connections. */
  close(): Promise<void>
}

/** Escapes backslashes and dot segments in the path of a request target. `URL` would normalize them; the real server does not. */
const escapePath = (target: string): string =>
  target.replace(/^[^?#]*/, (path) => path.replaceAll('\\', '%5C').replace(/(?<=\/)(?:\.|%2e){1,2}(?=\/|$)/gi, '%252e'))

const toRequest = (incoming: IncomingMessage, mock: FlowpostMock, body: Buffer, signal: AbortSignal): Request => {
  const headers = new Headers()
  for (const [name, value] of Object.entries(incoming.headers))
    if (value !== undefined && !name.startsWith(':')) headers.set(name, Array.isArray(value) ? value.join(', ') : value)
  // `Request` rejects TRACE. Like TRACE, the replacement is a method that no operation supports.
  const method = incoming.method === 'TRACE' ? 'X-TRACE' : (incoming.method ?? 'GET')
  const hasBody = body.length > 0 && method !== 'GET' && method !== 'HEAD'
  const url = mock.baseUrl + escapePath(incoming.url ?? '/')
  return new Request(url, { method, headers, signal, ...(hasBody ? { body: new Uint8Array(body) } : {}) })
}

/** The text that a server's health probes return, by path. */
const probes: Readonly<Record<string, string>> = { '/livez': 'ok\n', '/readyz': 'ready\n' }

const readBody = async (incoming: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = []
  for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const write = async (response: Response, outgoing: ServerResponse): Promise<void> => {
  outgoing.writeHead(response.status, Object.fromEntries(response.headers))
  // Writes in chunks, so that the start of a stalled body is sent.
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) outgoing.write(chunk)
  outgoing.end()
}

/**
 * Serves a mock over HTTP, for browsers and other languages. Faults such as `networkError` close the connection.
 * `GET` and `HEAD` of `/livez` and `/readyz` always return 200.
 *
 * @throws {Error} When the server cannot listen, for example because the port is in use.
 */
export const startMockServer = async (mock: FlowpostMock, options: MockServerOptions = {}): Promise<MockServer> => {
  const { port = 0, host = '127.0.0.1', corsOrigins = [] } = options

  const serve = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const closed = new AbortController()
    outgoing.on('close', () => closed.abort())
    for (const [name, value] of Object.entries(corsHeaders(incoming, corsOrigins))) outgoing.setHeader(name, value)
    if (incoming.method === 'OPTIONS' && incoming.headers['access-control-request-method'] !== undefined && corsOrigins.length > 0) {
      outgoing.writeHead(204).end()
      return
    }
    const probe = probes[incoming.url?.split('?', 1)[0] ?? '']
    if (probe && (incoming.method === 'GET' || incoming.method === 'HEAD')) {
      outgoing.writeHead(200, { 'Content-Type': 'text/plain; charset=utf-8' }).end(probe)
      return
    }
    try {
      await write(await mock.fetch(toRequest(incoming, mock, await readBody(incoming), closed.signal)), outgoing)
    } catch {
      outgoing.destroy()
    }
  }

  const server = createServer((incoming, outgoing) => void serve(incoming, outgoing))
  server.listen(port, host)
  await once(server, 'listening')
  const address = server.address() as AddressInfo
  const close = async () => {
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  }
  const shownHost = host.includes(':') ? `[${host}]` : host
  return { url: `http://${shownHost}:${address.port}`, port: address.port, close, [Symbol.asyncDispose]: close }
}
