import { request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import express from 'express'
import type { CapturedMessage, OutboxStore } from '../../src/features/outbox/outbox.queries.ts'
import { createOutboxRouter } from '../../src/features/outbox/outbox.routes.ts'
import { createOutboxAccess, type OutboxAccessRule } from '../../src/features/outbox/outbox-access.ts'

/** A captured message with its owner. */
export type StoredMessage = CapturedMessage & { readonly owner: string }

/** Returns a valid id. Ids sort in the order of their numbers. */
export const testId = (prefix: string, number: number): string => `${prefix}_01kaj8qy0c${String(number).padStart(16, '0')}`

/** Creates a message whose ids and time are derived from `number`. `given` overrides fields. */
export const testMessage = (number: number, given: Partial<StoredMessage> = {}): StoredMessage => ({
  id: testId('dlv', number),
  notificationId: testId('ntf', number),
  projectId: testId('prj', 1),
  flowId: testId('flw', 1),
  sourceType: 'smtp',
  kind: 'email',
  target: 'ada@example.com',
  subject: `Message ${number}`,
  capturedAt: new Date(Date.UTC(2026, 10, 21, 9, number)),
  headers: [['Subject', `Message ${number}`]],
  text: `Text of message ${number}`,
  html: null,
  raw: `Subject: Message ${number}\r\n\r\nText of message ${number}\r\n`,
  owner: 'local',
  ...given,
})

/** Creates an outbox store that reads from `messages`. Tests may add messages to the list. */
const createMemoryOutbox = (messages: StoredMessage[]): OutboxStore => ({
  list: async (viewer, { before, limit, sourceType }) => {
    const matching = messages
      .filter((message) => 'all' in viewer || message.owner === viewer.userId)
      .filter((message) => sourceType === undefined || message.sourceType === sourceType)
      .filter((message) => before === undefined || message.id < before)
      .sort((a, b) => (a.id < b.id ? 1 : -1))
    const page = matching.slice(0, limit)
    return { messages: page, nextBefore: matching.length > limit ? (page.at(-1)?.id ?? null) : null }
  },
  get: async (viewer, id) => messages.find((message) => message.id === id && ('all' in viewer || message.owner === viewer.userId)) ?? null,
})

/** A running server with an outbox at `/outbox`. */
export interface OutboxServer extends AsyncDisposable {
  readonly origin: string
  readonly port: number
}

/** Serves an outbox, with the real access check, on a free port of 127.0.0.1. */
export const serveOutbox = async (
  messages: StoredMessage[],
  access: OutboxAccessRule = { mode: 'local' },
  extend: (app: express.Express) => void = () => {},
): Promise<OutboxServer> => {
  const app = express()
  // Hardened applications disable the query parser, so the outbox must not depend on it.
  app.set('query parser', false).disable('x-powered-by')
  app.use('/outbox', createOutboxRouter({ store: createMemoryOutbox(messages), authorize: createOutboxAccess(access) }))
  extend(app)
  app.use((_request, response) => {
    response.status(404).json({ code: 'not_found' })
  })
  const server = app.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** A response of {@link rawGet}. */
export interface OutboxResponse {
  readonly status: number
  readonly challenge: string
  readonly body: string
}

/** Sends a GET with exactly these headers. `fetch` does not allow setting `Host` and `Sec-Fetch-Site`. */
export const rawGet = (server: OutboxServer, path: string, headers: Record<string, string>): Promise<OutboxResponse> =>
  new Promise((resolve, reject) => {
    httpRequest({ host: '127.0.0.1', port: server.port, path, headers }, (response) => {
      text(response).then(
        (body) => resolve({ status: response.statusCode ?? 0, challenge: response.headers['www-authenticate'] ?? '', body }),
        reject,
      )
    })
      .on('error', reject)
      .end()
  })
