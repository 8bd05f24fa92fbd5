import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Behaviour, ConformanceCase, ReceivedMessage } from './types.ts'

/** A request as it arrived. */
export interface ReceivedRequest {
  readonly method: string
  /** With the query. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** An answer, or what to do with the connection instead. A body that is not a string is sent as JSON. */
export type HttpReply =
  | { readonly status: number; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }
  | ((response: ServerResponse) => void)

/** An HTTP server that records requests and answers as it is told. */
export interface RecordingServer {
  /** With a slash at its end. */
  readonly url: string
  readonly port: number
  readonly requests: readonly ReceivedRequest[]
  readonly close: () => Promise<void>
}

/** How the service of a provider behaves over HTTP. */
export interface HttpProtocol {
  /** Tells a request that carries a message from one that asks something. */
  readonly isMessage: (request: ReceivedRequest) => boolean
  /** Reads the message out of its request. */
  readonly read: (request: ReceivedRequest) => ReceivedMessage
  /** What the service answers under each {@link Behaviour}. A refusal should repeat the secrets of the request. */
  readonly answers: Readonly<Record<Exclude<Behaviour, 'drop' | 'hang'>, (request: ReceivedRequest) => HttpReply>>
}

/** Starts an HTTP server on a free port of 127.0.0.1. */
export async function startRecordingServer(respond: (request: ReceivedRequest) => HttpReply): Promise<RecordingServer> {
  const requests: ReceivedRequest[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8')
      const received = { method: request.method ?? '', path: request.url ?? '', headers: request.headers, body }
      requests.push(received)
      const answer = respond(received)
      if (typeof answer === 'function') return answer(response)
      const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? {})
      response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers })
      response.end(text)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    port,
    requests,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/**
 * Makes the case of a provider that speaks HTTP, with a server of its own on 127.0.0.1. Breaking off and hanging are
 * done already: `protocol` says how the service answers otherwise.
 *
 * @param make Gets the server's URL, with a slash at its end.
 */
export async function httpConformanceCase(
  make: (url: string) => Pick<ConformanceCase, 'provider' | 'credential' | 'targets' | 'badTargets'>,
  protocol: HttpProtocol,
): Promise<ConformanceCase> {
  let behaviour: Behaviour = 'accept'
  const server = await startRecordingServer((request) => {
    if (behaviour === 'drop') return (response) => response.destroy()
    if (behaviour === 'hang') return () => {}
    return protocol.answers[behaviour](request)
  })
  return {
    ...make(server.url),
    behave: (next) => {
      behaviour = next
    },
    received: () => server.requests.filter(protocol.isMessage).map(protocol.read),
    close: server.close,
  }
}
