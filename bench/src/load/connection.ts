import { connect } from 'node:net'
import { createResponseReader } from './response-reader.ts'

/** A keep-alive connection that carries one request at a time. */
export interface Connection {
  /** Sends a request. Resolves with the status once the whole response has arrived. */
  send(bytes: Buffer): Promise<number>
  close(): void
}

/** Opens a connection to a server on this machine. */
export const openConnection = (port: number): Promise<Connection> => {
  const opened = Promise.withResolvers<Connection>()
  let responded = Promise.withResolvers<number>()
  // Between requests, no caller awaits this promise. Without a handler, closing the connection causes an unhandled rejection.
  responded.promise.catch(() => {})
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  const fail = (error: Error) => {
    opened.reject(error)
    responded.reject(error)
    socket.destroy()
  }
  const read = createResponseReader((status) => responded.resolve(status))
  socket.on('data', (chunk) => {
    try {
      read(chunk)
    } catch (error) {
      fail(error as Error)
    }
  })
  socket.on('error', fail)
  socket.on('close', () => fail(new Error('The server closed the connection.')))
  socket.on('connect', () =>
    opened.resolve({
      send: async (bytes) => {
        if (socket.destroyed) throw new Error('The server closed the connection.')
        socket.write(bytes)
        const status = await responded.promise
        responded = Promise.withResolvers()
        responded.promise.catch(() => {})
        return status
      },
      close: () => {
        socket.removeAllListeners('close').destroy()
      },
    }),
  )
  return opened.promise
}
