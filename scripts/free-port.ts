import { once } from 'node:events'
import { createServer } from 'node:net'

/** Returns whether no program listens on a port of this machine's loopback address. */
export const isFree = async (port: number): Promise<boolean> => {
  const server = createServer().listen(port, '127.0.0.1')
  const free = await once(server, 'listening').then(
    () => true,
    () => false,
  )
  server.close()
  return free
}
