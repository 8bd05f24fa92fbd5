import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request as it arrived. */
export interface Received {
  readonly method: string
  /** Path and query, undecoded. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** What the server does with one request. */
export type Behaviour = (response: ServerResponse, request: Received) => void

/** A server that does what a test tells it, one behaviour for each request. */
export interface HostileServer extends AsyncDisposable {
  readonly baseUrl: string
  /** Every request so far. */
  readonly requests: readonly Received[]
  /** What to do with the next requests, in order. One that comes unexpected is answered with 599. */
  next(...behaviours: Behaviour[]): void
  /** Resolves when that many requests have arrived. */
  received(count: number): Promise<void>
}

/** Listens on a free port of 127.0.0.1. */
export const startHostileServer = async (): Promise<HostileServer> => {
  const requests: Received[] = []
  const script: Behaviour[] = []
  const waiting = new Set<() => void>()

  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = []
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
      for (const look of waiting) look()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    next: (...behaviours) => script.push(...behaviours),
    received: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (requests.length < count) return
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
        look()
      }),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

type HeaderBag = Record<string, string>

/** Answers with JSON. */
export const json =
  (status: number, body: unknown, headers: HeaderBag = {}): Behaviour =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))

/** Answers with a problem. */
export const problem =
  (status: number, code: string, headers: HeaderBag = {}, more: object = {}): Behaviour =>
  (response) =>
    response
      .writeHead(status, { 'content-type': 'application/problem+json', ...headers })
      .end(JSON.stringify({ type: 'about:blank', title: code, status, detail: `The detail of ${code}.`, code, request_id: 'req', ...more }))

/** Answers with a text of any kind. */
export const text =
  (status: number, body: string, headers: HeaderBag = {}): Behaviour =>
  (response) =>
    response.writeHead(status, { 'content-type': 'text/html', ...headers }).end(body)

/** Never answers. */
export const silence: Behaviour = () => {}

/** Sends headers and the beginning of a body, and then nothing more. */
export const stalledBody =
  (status = 200, headers: HeaderBag = {}): Behaviour =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': '1000', ...headers })
    response.write('{"data":')
  }

/** Sends headers, and then a blank now and then for ever: the connection is never idle, and nothing comes of it. */
export const trickle: Behaviour = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  const timer = setInterval(() => response.write(' '), 1)
  response.on('close', () => clearInterval(timer))
}

/** Answers with something that is not HTTP. */
export const gibberish: Behaviour = (response) => {
  response.socket?.end('SSH-2.0-OpenSSH_9.9\r\n')
}

/** Resets the connection. Before the answer, as if it was lost on the way. */
export const reset: Behaviour = (response) => {
  response.socket?.resetAndDestroy()
}

/** Sends headers and half a body, then breaks the connection off. */
export const brokenBodyOf =
  (status: number): Behaviour =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': '1000' })
    response.write('{"data":', () => response.socket?.destroy())
  }

/** A success that breaks off. */
export const brokenBody = brokenBodyOf(200)

/** Sends a body of 64 KB pieces for as long as it is read, and tells when that ends. */
export const endlessBody =
  (status: number, onClose: () => void): Behaviour =>
  (response) => {
    response.writeHead(status, { 'content-type': 'text/html' })
    response.on('close', onClose)
    const more = (): void => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
      if (!response.destroyed) response.once('drain', more)
    }
    more()
  }
