import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { CliError } from '../cli-error.ts'

/**
 * Returns `port` if it is free on this machine. For 0, returns any free port.
 *
 * @throws {CliError} When another program uses the port, or when this user is not allowed to use it.
 */
export const requireFreePort = async (port: number): Promise<number> => {
  const server = createServer()
  try {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    const { port: free } = server.address() as AddressInfo
    server.close()
    await once(server, 'close')
    return free
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code === 'EADDRINUSE' ? 'is in use' : `cannot be used (${(error as Error).message})`
    throw new CliError(`Port ${port} ${reason}. Choose another one with --port.`)
  }
}
