import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request as it arrived. */
export interface ReceivedRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** An answer, or what to do with the connection instead. */
export type Answer =
  | { readonly status: number; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }
  | ((response: ServerResponse) => void)

/** An HTTP server that records requests and answers as a test says. */
export interface TestHttpServer {
  readonly url: string
  readonly port: number
  readonly requests: ReceivedRequest[]
  readonly close: () => Promise<void>
}

/** Starts one on 127.0.0.1, on a free port. A body that is not a string is sent as JSON. */
export async function startHttpServer(respond: (request: ReceivedRequest) => Answer): Promise<TestHttpServer> {
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
