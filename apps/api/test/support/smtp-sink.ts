import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { SMTPServer } from 'smtp-server'

/** A message that the server has received. */
export interface ReceivedMail {
  readonly from: string
  readonly to: readonly string[]
  readonly raw: string
  readonly messageId: string
  readonly at: number
}

/** The reaction to a message: accept it, never reply (`stall`), close the connection (`cut`), or reply with a code. */
export type SmtpReply = 'accept' | 'stall' | 'cut' | { readonly code: number; readonly text: string; readonly afterMs?: number }

/** An SMTP server that records messages. */
export interface SmtpSink extends AsyncDisposable {
  readonly url: string
  /** The messages that were transmitted completely, including rejected ones. */
  readonly received: readonly ReceivedMail[]
  /** Resolves once this many messages have been received. */
  waitForMessages(count: number): Promise<void>
}

/** The options of {@link startSmtpSink}. */
export interface SmtpSinkOptions {
  /** Returns the reaction to a message. `number` counts the messages, starting at 1. @default accepts all messages */
  readonly reply?: (number: number, mail: ReceivedMail) => SmtpReply
  /** The port to listen on. @default a free port */
  readonly port?: number
  /** Whether to keep messages in `received`. A long run counts them in `reply` instead. @default true */
  readonly record?: boolean
  /** Whether the server supports internationalized addresses. @default true */
  readonly smtpUtf8?: boolean
}

/** Starts the server on 127.0.0.1. */
export const startSmtpSink = async (options: SmtpSinkOptions = {}): Promise<SmtpSink> => {
  const { reply = () => 'accept', port = 0, record = true, smtpUtf8 = true } = options
  const received: ReceivedMail[] = []
  let count = 0
  const waiting = new Set<() => void>()
  const sockets = new Set<Socket>()
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    hideSMTPUTF8: !smtpUtf8,
    onData: (stream, session, done) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope
        const raw = Buffer.concat(chunks).toString('utf8')
        const mail: ReceivedMail = {
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          raw,
          messageId: /^Message-ID: (.+)$/im.exec(raw)?.[1]?.trim() ?? '',
          at: Date.now(),
        }
        count += 1
        if (record) received.push(mail)
        for (const check of waiting) check()
        const reaction = reply(count, mail)
        if (reaction === 'stall') return
        if (reaction === 'cut') for (const socket of sockets) socket.destroy()
        else if (reaction === 'accept') done()
        else
          setTimeout(
            () =>
              reaction.code < 300
                ? done(null, reaction.text)
                : done(Object.assign(new Error(reaction.text), { responseCode: reaction.code })),
            reaction.afterMs ?? 0,
          )
      })
    },
  })
  server.on('error', () => {})
  server.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  })
  server.listen(port, '127.0.0.1')
  await once(server.server, 'listening')
  const address = server.server.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${address.port}`,
    received,
    waitForMessages: (count) =>
      new Promise((resolve) => {
        const check = () => {
          if (received.length < count) return
          waiting.delete(check)
          resolve()
        }
        waiting.add(check)
        check()
      }),
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
