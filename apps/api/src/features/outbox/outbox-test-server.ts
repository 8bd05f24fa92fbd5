import { request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import express from 'express'
import { createOutboxRouter } from './outbox.routes.ts'
import type { CapturedMessage, OutboxStore } from './outbox.store.ts'
import { createOutboxAccess, type OutboxAccessRule } from './outbox-access.ts'

/** A captured message with its owner; what a test leaves out is filled in. */
export type StoredMessage = CapturedMessage & { readonly owner: string }

/** An identifier of the right shape, rising with the number. */
export const testId = (prefix: string, number: number): string => `${prefix}_01kaj8qy0c${String(number).padStart(16, '0')}`

/** A message with the given number: its identifiers, and its time in minutes. */
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

/** An outbox in memory over a list that the test may add to. */
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
export interface TestServer extends AsyncDisposable {
  readonly origin: string
  readonly port: number
}

/** Serves an outbox on a free port of 127.0.0.1, under a real access rule. */
export const serveOutbox = async (
  messages: StoredMessage[],
  access: OutboxAccessRule = { mode: 'local' },
  extend: (app: express.Express) => void = () => {},
): Promise<TestServer> => {
  const app = express()
  // As hardened applications set it: the outbox must not need the parser.
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

/** An answer as {@link ask} gives it. */
export interface TestAnswer {
  readonly status: number
  readonly challenge: string
  readonly body: string
}

/** A GET with exactly these header fields: `fetch` does not let its caller choose `Host` and `Sec-Fetch-Site`. */
export const ask = (server: TestServer, path: string, headers: Record<string, string>): Promise<TestAnswer> =>
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
