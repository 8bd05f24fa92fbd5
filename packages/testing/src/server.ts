import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FlowpostMock } from './mock.ts'
import { corsHeaders } from './server-cors.ts'

/** How to serve a mock. */
export interface MockServerOptions {
  /** Default 0: one that is free. */
  readonly port?: number
  /** Default `127.0.0.1`. */
  readonly host?: string
  /** The origins whose pages may call it from a browser, compared exactly, or `*`. Default: none. */
  readonly corsOrigins?: readonly string[]
}

/** A mock on a real port. */
export interface MockServer extends AsyncDisposable {
  /** Where it is, without a slash at its end. */
  readonly url: string
  readonly port: number
  /** Stops it at once; open connections are closed. */
  close(): Promise<void>
}

const toRequest = (incoming: IncomingMessage, mock: FlowpostMock, body: Buffer, signal: AbortSignal): Request => {
  const headers = new Headers()
  for (const [name, value] of Object.entries(incoming.headers))
    if (value !== undefined && !name.startsWith(':')) headers.set(name, Array.isArray(value) ? value.join(', ') : value)
  const method = incoming.method ?? 'GET'
  const hasBody = body.length > 0 && method !== 'GET' && method !== 'HEAD'
  return new Request(mock.baseUrl + (incoming.url ?? '/'), { method, headers, signal, ...(hasBody ? { body: new Uint8Array(body) } : {}) })
}

const readBody = async (incoming: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = []
  for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const write = async (answer: Response, outgoing: ServerResponse): Promise<void> => {
  outgoing.writeHead(answer.status, Object.fromEntries(answer.headers))
  // In pieces, so that a body which never ends does not keep its beginning back.
  for await (const chunk of (answer.body ?? []) as AsyncIterable<Uint8Array>) outgoing.write(chunk)
  outgoing.end()
}

/**
 * Serves a mock over HTTP, for browsers and for other languages. Faults of the connection are real: it is destroyed.
 *
 * @throws when the port is taken.
 */
export const startMockServer = async (mock: FlowpostMock, options: MockServerOptions = {}): Promise<MockServer> => {
  const { port = 0, host = '127.0.0.1', corsOrigins = [] } = options

  const serve = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const gone = new AbortController()
    outgoing.on('close', () => gone.abort())
    for (const [name, value] of Object.entries(corsHeaders(incoming, corsOrigins))) outgoing.setHeader(name, value)
    if (incoming.method === 'OPTIONS' && incoming.headers['access-control-request-method'] !== undefined && corsOrigins.length > 0) {
      outgoing.writeHead(204).end()
      return
    }
    try {
      await write(await mock.fetch(toRequest(incoming, mock, await readBody(incoming), gone.signal)), outgoing)
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
