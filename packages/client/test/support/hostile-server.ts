import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request as the server received it. */
export interface ReceivedRequest {
  readonly method: string
  /** Path and query, not decoded. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Handles one request. */
export type Behavior = (response: ServerResponse, request: ReceivedRequest) => void

/** A server with one scripted behavior per request. */
export interface HostileServer extends AsyncDisposable {
  readonly baseUrl: string
  /** All requests so far. */
  readonly requests: readonly ReceivedRequest[]
  /** Queues the behaviors for the next requests. The server responds to an unexpected request with 599. */
  next(...behaviors: Behavior[]): void
  /** Resolves when `count` requests have arrived. */
  received(count: number): Promise<void>
  /** Resolves when no response is open: each was sent completely or its connection was closed. */
  idle(): Promise<void>
}

/** Starts the server on a free port of 127.0.0.1. */
export const startHostileServer = async (): Promise<HostileServer> => {
  const requests: ReceivedRequest[] = []
  const script: Behavior[] = []
  const open = new Set<ServerResponse>()
  const listeners = new Set<() => void>()
  const notify = () => {
    for (const listener of listeners) listener()
  }
  const when = (condition: () => boolean) =>
    new Promise<void>((resolve) => {
      const check = () => {
        if (!condition()) return
        listeners.delete(check)
        resolve()
      }
      listeners.add(check)
      check()
    })

  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = []
    open.add(response)
    response.on('close', () => {
      open.delete(response)
      notify()
    })
    incoming.on('error', () => {})
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const request = {
        method: incoming.method ?? '',
        url: incoming.url ?? '',
        headers: incoming.headers,
        body: Buffer.concat(chunks).toString(),
      }
      requests.push(request)
      const behave = script.shift() ?? json(599, { unexpected: request.url })
      behave(response, request)
      notify()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    next: (...behaviors) => script.push(...behaviors),
    received: (count) => when(() => requests.length >= count),
    idle: () => when(() => open.size === 0),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

type HeaderBag = Record<string, string>

/** Responds with JSON. */
export const json =
  (status: number, body: unknown, headers: HeaderBag = {}): Behavior =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))

/** Responds with a problem. */
export const problem =
  (status: number, code: string, headers: HeaderBag = {}, fields: object = {}): Behavior =>
  (response) =>
    response
      .writeHead(status, { 'content-type': 'application/problem+json', ...headers })
      .end(
        JSON.stringify({ type: 'about:blank', title: code, status, detail: `The detail of ${code}.`, code, request_id: 'req', ...fields }),
      )

/** Responds with arbitrary text. */
export const text =
  (status: number, body: string, headers: HeaderBag = {}): Behavior =>
  (response) =>
    response.writeHead(status, { 'content-type': 'text/html', ...headers }).end(body)

/** Never responds. */
export const silence: Behavior = () => {}

/** Sends headers and the start of a body, then stalls. */
export const stalledBody =
  (status = 200, headers: HeaderBag = {}): Behavior =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': '1000', ...headers })
    response.write('{"data":')
  }

/** Sends headers, then one space at a time without end. The connection is never idle. */
export const trickle: Behavior = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  const timer = setInterval(() => response.write(' '), 1)
  response.on('close', () => clearInterval(timer))
}

/** Responds with data that is not HTTP. */
export const gibberish: Behavior = (response) => {
  response.socket?.end('SSH-2.0-OpenSSH_9.9\r\n')
}

/** Resets the connection before the response. */
export const reset: Behavior = (response) => {
  response.socket?.resetAndDestroy()
}

/** Sends headers and half of a body, then closes the connection. */
export const brokenBodyOf =
  (status: number): Behavior =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': '1000' })
    response.write('{"data":', () => response.socket?.destroy())
  }

/** A successful response that breaks off. */
export const brokenBody = brokenBodyOf(200)

/** Sends 64 KB chunks until the connection closes, then calls `onClose`. */
export const endlessBody =
  (status: number, onClose: () => void): Behavior =>
  (response) => {
    response.writeHead(status, { 'content-type': 'text/html' })
    response.on('close', onClose)
    const writeChunks = (): void => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
      if (!response.destroyed) response.once('drain', writeChunks)
    }
    writeChunks()
  }
