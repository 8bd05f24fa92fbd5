import { connect } from 'node:net'
import { createResponseReader } from './response-reader.ts'

/** A connection that is kept alive; one request at a time. */
export interface Connection {
  /** Resolves with the status once the whole answer is there. */
  send(bytes: Buffer): Promise<number>
  close(): void
}

/** Opens a connection to a server on this machine. */
export const openConnection = (port: number): Promise<Connection> => {
  const opened = Promise.withResolvers<Connection>()
  let answered = Promise.withResolvers<number>()
  // Whoever sends waits for it; between two requests nobody does, and then a closed connection is no failure yet.
  answered.promise.catch(() => {})
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  const fail = (error: Error) => {
    opened.reject(error)
    answered.reject(error)
    socket.destroy()
  }
  const read = createResponseReader((status) => answered.resolve(status))
  socket.on('data', (chunk) => {
    try {
      read(chunk)
    } catch (error) {
      fail(error as Error)
    }
  })
  socket.on('error', fail)
  socket.on('close', () => fail(new Error('The server has closed the connection.')))
  socket.on('connect', () =>
    opened.resolve({
      send: async (bytes) => {
        if (socket.destroyed) throw new Error('The server has closed the connection.')
        socket.write(bytes)
        const status = await answered.promise
        answered = Promise.withResolvers()
        answered.promise.catch(() => {})
        return status
      },
      close: () => {
        socket.removeAllListeners('close').destroy()
      },
    }),
  )
  return opened.promise
}
