import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A network between a client and a server that can go silent, as after a partition: nothing arrives, and nothing is closed. */
export interface NetworkProxy extends AsyncDisposable {
  readonly port: number
  /** Nothing gets through any more, on new connections neither. */
  silence(): void
  /** The connections that are open stay silent for good. New ones work. */
  loseOpenConnections(): void
  /** What was held up arrives. */
  resume(): void
}

/** Starts a proxy on 127.0.0.1 that passes everything on to a port of it. */
export const startNetworkProxy = async (targetPort: number): Promise<NetworkProxy> => {
  const sockets = new Set<Socket>()
  const lost = new Set<Socket>()
  let silent = false

  const pass = (from: Socket, to: Socket): void => {
    sockets.add(from)
    if (silent) from.pause()
    from.on('data', (chunk) => to.write(chunk))
    from.on('end', () => to.end())
    from.on('error', () => to.destroy())
    from.on('close', () => sockets.delete(from))
  }
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (client) => {
    const upstream = connect({ port: targetPort, host: '127.0.0.1', allowHalfOpen: true })
    pass(client, upstream)
    pass(upstream, client)
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
