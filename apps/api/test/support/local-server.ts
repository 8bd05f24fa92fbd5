import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request with its whole body. */
export interface LocalRequest {
  readonly method: string
  /** The path with the query. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** A response. A body that is not a string is sent as JSON. */
export interface LocalResponse {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** An HTTP server on a free port of 127.0.0.1. */
export interface LocalServer extends AsyncDisposable {
  /** The origin, without a slash at the end. */
  readonly url: string
}

/** Starts a server that answers each request with the result of `handle`. */
export const startLocalServer = async (handle: (request: LocalRequest) => LocalResponse): Promise<LocalServer> => {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    const { method = '', url = '', headers } = request
    const { status, headers: added, body = '' } = handle({ method, path: url, headers, body: Buffer.concat(chunks).toString() })
    const isText = typeof body === 'string'
    response.writeHead(status, { ...(isText ? {} : { 'Content-Type': 'application/json' }), ...added })
    response.end(isText ? body : JSON.stringify(body))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
