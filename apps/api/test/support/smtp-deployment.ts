import { afterAll, beforeAll } from 'vitest'
import { type SmtpReply, startSmtpSink } from './smtp-sink.ts'
import { startTestServer, type TestServerOptions } from './test-server.ts'

/** A retry policy whose retries take less than a second. */
export const quickRetries = { initialWaitMs: 50, maxWaitMs: 200, budgetMs: 60_000 }

/** Starts an SMTP server, and a server that sends through it. `reply` receives the number of the message, starting with 1. */
export const startWithSmtp = async (reply: (number: number) => SmtpReply, options: TestServerOptions = {}) => {
  const smtp = await startSmtpSink({ reply })
  const server = await startTestServer({
    retryPolicy: quickRetries,
    ...options,
    env: { FLOWPOST_SMTP_URL: smtp.url, FLOWPOST_EMAIL_FROM: 'noreply@example.com', ...options.env },
  })
  return {
    smtp,
    server,
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]()
      await smtp[Symbol.asyncDispose]()
    },
  }
}

/**
 * Starts an SMTP server, and a server that sends through it, before a group of tests. Returns a function that sets the SMTP
 * server's replies for one test.
 */
export const useSmtp = () => {
  let setup: Awaited<ReturnType<typeof startWithSmtp>>
  let reply: (number: number) => SmtpReply
  beforeAll(async () => {
    setup = await startWithSmtp((number) => reply(number))
  })
  afterAll(() => setup[Symbol.asyncDispose]())
  return (replyToTest: typeof reply) => {
    const first = setup.smtp.received.length
    reply = (number) => replyToTest(number - first)
    return { server: setup.server, received: () => setup.smtp.received.slice(first) }
  }
}
