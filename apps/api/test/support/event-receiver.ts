import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request that the receiver has received. */
export interface ReceivedEvent {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read any event.
  readonly json: any
  readonly at: number
}

/** An HTTP server that receives events. */
export interface EventReceiver extends AsyncDisposable {
  readonly url: string
  readonly received: readonly ReceivedEvent[]
  /** Resolves once `isDone` returns true for the requests received so far. */
  waitFor(isDone: (received: readonly ReceivedEvent[]) => boolean): Promise<void>
  /** Returns the response status. With `undefined`, there is no response, unless the function writes one. */
  reply: (event: ReceivedEvent, response: ServerResponse) => number | undefined | Promise<number | undefined>
}

/** Starts the server on 127.0.0.1. By default, it responds with 204. */
export const startEventReceiver = async (): Promise<EventReceiver> => {
  const received: ReceivedEvent[] = []
  const waiting = new Set<() => void>()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', async () => {
      const body = Buffer.concat(chunks).toString('utf8')
      const event = { path: request.url ?? '', headers: request.headers, body, json: JSON.parse(body), at: Date.now() }
      received.push(event)
      for (const check of waiting) check()
      const status = await receiver.reply(event, response)
      if (status !== undefined && !response.writableEnded) response.writeHead(status).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const receiver: EventReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    reply: () => 204,
    waitFor: (isDone) =>
      new Promise((resolve) => {
        const check = () => {
          if (!isDone(received)) return
          waiting.delete(check)
          resolve()
        }
        waiting.add(check)
        check()
      }),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return receiver
}
