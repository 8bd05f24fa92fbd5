import { createServer } from 'node:http'
import { listenOnLoopback } from '../processes/listen-on-loopback.ts'
import { expose } from '../processes/rpc.ts'

const program = {
  /** Starts a server with one fixed response. Returns its port. */
  start: async ({ body }: { body: string }) => {
    const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }
    const server = createServer((_request, response) => response.writeHead(200, headers).end(body))
    return listenOnLoopback(server)
  },
}

/** A server that uses almost no CPU time, so that the client is the bottleneck. */
export type CannedResponse = typeof program

expose(program)
