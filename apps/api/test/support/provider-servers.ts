import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createDiscord, createMailgun, createSlack, createSmtp, createTeams, type Provider, webhook } from '@flowpost/delivery'

/** A server that simulates the HTTP APIs of all providers. `providers` contains the providers that send to it. */
export interface ProviderServers extends AsyncDisposable {
  readonly url: string
  readonly providers: readonly Provider[]
  readonly requestedPaths: readonly string[]
  /** Rejects all requests from now on, with a response that repeats the whole request. */
  rejectAll(): void
}

const acceptance = {
  ok: true,
  ts: '17.1',
  channel: 'C024BE91L',
  id: '<accepted@example.com>',
  message: 'Queued. Thank you.',
  domain: { state: 'active' },
}

/** Starts the server on a free port of 127.0.0.1. */
export const startProviderServers = async (): Promise<ProviderServers> => {
  const requestedPaths: string[] = []
  let isRejecting = false
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    requestedPaths.push(request.url ?? '')
    const echo = JSON.stringify([request.url, request.headers, Buffer.concat(chunks).toString()])
    const rejection = { ok: false, error: 'invalid_auth', code: 50_027, message: `Rejected: ${echo}`, echo }
    response
      .writeHead(isRejecting ? 401 : 200, { 'Content-Type': 'application/json' })
      .end(JSON.stringify(isRejecting ? rejection : acceptance))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    requestedPaths,
    providers: [
      createMailgun({ apiUrl: url }),
      createSmtp(),
      createSlack({ apiUrl: `${url}/api/` }),
      createDiscord({ origins: [url] }),
      createTeams({ isWorkflowUrl: ({ origin }) => origin === url }),
      webhook,
    ],
    rejectAll: () => {
      isRejecting = true
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
