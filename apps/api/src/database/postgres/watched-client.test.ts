import { once } from 'node:events'
import { type AddressInfo, createServer, Socket } from 'node:net'
import { expect, it, onTestFinished, vi } from 'vitest'
import { connectionOptions } from './connection-options.ts'
import { WatchedClient } from './watched-client.ts'

/** Starts a server that accepts connections and never responds. */
const startSilentServer = async (): Promise<string> => {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => sockets.add(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return `postgres://postgres@127.0.0.1:${(server.address() as AddressInfo).port}/postgres`
}

it('enables TCP keepalive after five idle seconds', async () => {
  const setKeepAlive = vi.spyOn(Socket.prototype, 'setKeepAlive')
  const client = new WatchedClient(connectionOptions(await startSilentServer(), 'test'))
  const connecting = expect(client.connect()).rejects.toThrow('given up')
  await once(client.connection.stream, 'connect')
  expect(setKeepAlive.mock.calls).toEqual([[true, 5_000]])
  client.abandon(new Error('given up'))
  await connecting
})
