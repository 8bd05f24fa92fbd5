import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A message that the server has received. */
export interface ReceivedPost {
  readonly channel: string
  readonly text: string
  readonly at: number
}

/** A response to `chat.postMessage`. By default, the status is 200 and the body reports a success. */
export interface SlackReply {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: object
}

/** A server that implements Slack's `chat.postMessage` as documented. */
export interface SlackServer extends AsyncDisposable {
  /** Environment variables that make Flowpost send to this server. */
  readonly env: Readonly<Record<string, string>>
  readonly received: readonly ReceivedPost[]
}

/** Starts the server on a free port of 127.0.0.1. `reply` receives the number of the message, starting with 1. */
export const startSlackServer = async (reply: (number: number, post: ReceivedPost) => SlackReply = () => ({})): Promise<SlackServer> => {
  const received: ReceivedPost[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    const { channel, text } = JSON.parse(Buffer.concat(chunks).toString() || '{}') as { channel: string; text: string }
    const post = { channel, text, at: Date.now() }
    received.push(post)
    const { status = 200, headers = {}, body = { ok: true, channel, ts: `17.${received.length}` } } = reply(received.length, post)
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    env: { FLOWPOST_SLACK_TOKEN: 'xoxb-test', FLOWPOST_SLACK_API_URL: `http://127.0.0.1:${port}/api/` },
    received,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
