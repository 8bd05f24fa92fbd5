import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ConformanceCase, ReceivedMessage, ServerBehavior } from './types.ts'

/** An HTTP request as the mock server received it. */
export interface ReceivedRequest {
  readonly method: string
  /** The path with the query. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** A response from the mock server, or a function that writes the response itself. A `body` that is not a string is sent as JSON. */
export type MockResponse =
  | { readonly status: number; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }
  | ((response: ServerResponse) => void)

/** An HTTP server that records requests. */
export interface MockServer {
  /** The URL of the server, with a trailing slash. */
  readonly url: string
  readonly port: number
  readonly requests: readonly ReceivedRequest[]
  readonly close: () => Promise<void>
}

/** A mock of a provider's HTTP API. */
export interface MockHttpService {
  /** Returns whether a request carries a message. */
  readonly isMessage: (request: ReceivedRequest) => boolean
  readonly parseMessage: (request: ReceivedRequest) => ReceivedMessage
  /**
   * Functions that return the response for each {@link ServerBehavior}, except `drop` and `hang`. The responses for
   * `reject` and `reject-credential` should echo the secrets from the request, to test that errors contain no secrets.
   */
  readonly responses: Readonly<Record<Exclude<ServerBehavior, 'drop' | 'hang'>, (request: ReceivedRequest) => MockResponse>>
}

/** Starts a mock HTTP server on 127.0.0.1, on a free port. */
export async function startMockServer(respond: (request: ReceivedRequest) => MockResponse): Promise<MockServer> {
  const requests: ReceivedRequest[] = []
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8')
      const request = { method: incoming.method ?? '', path: incoming.url ?? '', headers: incoming.headers, body }
      requests.push(request)
      const response = respond(request)
      if (typeof response === 'function') return response(outgoing)
      const text = typeof response.body === 'string' ? response.body : JSON.stringify(response.body ?? {})
      outgoing.writeHead(response.status, { 'content-type': 'application/json', ...response.headers })
      outgoing.end(text)
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
 * Creates the conformance case for an HTTP provider, with a mock server on 127.0.0.1. The server implements the
 * behaviors `drop` and `hang` itself; `service` defines the responses for the other behaviors.
 *
 * @param createSubject Creates the provider and its test data. Receives the URL of the mock server, with a trailing slash.
 */
export async function createHttpConformanceCase(
  createSubject: (url: string) => Pick<ConformanceCase, 'provider' | 'credential' | 'targets' | 'invalidTargets'>,
  service: MockHttpService,
): Promise<ConformanceCase> {
  let behavior: ServerBehavior = 'accept'
  const server = await startMockServer((request) => {
    if (behavior === 'drop') return (response) => response.destroy()
    if (behavior === 'hang') return () => {}
    return service.responses[behavior](request)
  })
  return {
    ...createSubject(server.url),
    setBehavior: (next) => {
      behavior = next
    },
    received: () => server.requests.filter(service.isMessage).map(service.parseMessage),
    close: server.close,
  }
}
