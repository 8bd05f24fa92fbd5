import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { offer } from '../processes/calls.ts'

const program = {
  /** Answers every request with the same body. @returns the port. */
  start: async ({ body }: { body: string }) => {
    const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }
    const server = createServer((_request, response) => response.writeHead(200, headers).end(body))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  },
}

/** A server that costs next to nothing, so that the client is what a measurement measures. */
export type CannedAnswer = typeof program

offer(program)
