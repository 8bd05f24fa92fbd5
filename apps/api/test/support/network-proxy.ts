import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A TCP proxy that can simulate a network partition: no data arrives, but the connections stay open. */
export interface NetworkProxy extends AsyncDisposable {
  readonly port: number
  /** Holds back all data, including data on new connections. */
  silence(): void
  /** Holds back the data of the open connections permanently. New connections work. */
  loseOpenConnections(): void
  /** Ends {@link silence}. The data that was held back arrives. */
  resume(): void
}

/** Starts a proxy on a free port of 127.0.0.1 that forwards to `targetPort` of 127.0.0.1. */
export const startNetworkProxy = async (targetPort: number): Promise<NetworkProxy> => {
  const sockets = new Set<Socket>()
  const lost = new Set<Socket>()
  let silent = false

  const forward = (from: Socket, to: Socket): void => {
    sockets.add(from)
    if (silent) from.pause()
    from.on('data', (chunk) => to.write(chunk))
    from.on('end', () => to.end())
    from.on('error', () => to.destroy())
    from.on('close', () => sockets.delete(from))
  }
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (client) => {
    const upstream = connect({ port: targetPort, host: '127.0.0.1', allowHalfOpen: true })
    forward(client, upstream)
    forward(upstream, client)
    if (!silent) client.resume()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  return {
    port: (server.address() as AddressInfo).port,
    silence: () => {
      silent = true
      for (const socket of sockets) socket.pause()
    },
    loseOpenConnections: () => {
      for (const socket of sockets) {
        lost.add(socket)
        socket.pause()
      }
    },
    resume: () => {
      silent = false
      for (const socket of sockets) if (!lost.has(socket)) socket.resume()
    },
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
