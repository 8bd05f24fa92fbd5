import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Starts an HTTP server that never responds. The returned environment variables make Flowpost use it as the Mailgun API. */
export const startSilentServer = async (): Promise<AsyncDisposable & { readonly env: Readonly<Record<string, string>> }> => {
  const server = createServer((request) => request.resume())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    env: {
      FLOWPOST_MAILGUN_API_KEY: 'key-test',
      FLOWPOST_MAILGUN_DOMAIN: 'example.com',
      FLOWPOST_MAILGUN_API_URL: `http://127.0.0.1:${port}`,
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
