import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Express } from 'express'

// A client that sends its headers or its body drop by drop must not hold a connection for long.
const headersTimeoutMs = 10_000
const requestTimeoutMs = 30_000
// Longer than the idle time of the usual load balancers (60 s), so that they never meet a closing connection.
const keepAliveTimeoutMs = 65_000

const idleSweepMs = 50

/** A server that listens. */
export interface Listening {
  readonly port: number
  /** Takes no new requests and waits at most `graceMs` for those that are being answered. */
  close(graceMs: number): Promise<void>
}

/**
 * Listens on a port.
 * @param port 0 for any that is free.
 * @throws Error with the code `EADDRINUSE` when the port is taken.
 */
export const listen = async (app: Express, host: string, port: number): Promise<Listening> => {
  const server = createServer(
    { headersTimeout: headersTimeoutMs, requestTimeout: requestTimeoutMs, keepAliveTimeout: keepAliveTimeoutMs },
    app,
  )
  server.listen(port, host)
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    close: async (graceMs) => {
      const closed = once(server, 'close')
      server.close()
      // A connection that falls idle after this would otherwise be kept alive for a request that may not come.
      const sweep = setInterval(() => server.closeIdleConnections(), idleSweepMs)
      const timer = setTimeout(() => server.closeAllConnections(), graceMs)
      await closed
      clearInterval(sweep)
      clearTimeout(timer)
    },
  }
}
