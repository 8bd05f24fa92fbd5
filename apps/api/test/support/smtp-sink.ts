import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { SMTPServer } from 'smtp-server'

/** A message as the SMTP server has received it. */
export interface ReceivedMail {
  readonly from: string
  readonly to: readonly string[]
  readonly raw: string
  readonly messageId: string
  readonly at: number
}

/** What the server does with a message once it has all of it. */
export type SmtpReply = 'accept' | 'stall' | 'cut' | { readonly code: number; readonly text: string; readonly afterMs?: number }

/** A real SMTP server that keeps what it receives. */
export interface SmtpSink extends AsyncDisposable {
  readonly url: string
  /** Every message whose final dot has come in, the refused ones too. */
  readonly received: readonly ReceivedMail[]
  /** Resolves once that many messages have come in. */
  arrived(count: number): Promise<void>
}

/** What an SMTP server is made with. */
export interface SmtpSinkOptions {
  /** What it does with the message of this number, from 1. Default: it accepts all. */
  readonly reply?: (number: number, mail: ReceivedMail) => SmtpReply
  readonly port?: number
}

/** Starts an SMTP server on a free port of 127.0.0.1. */
export const startSmtpSink = async ({ reply = () => 'accept', port = 0 }: SmtpSinkOptions = {}): Promise<SmtpSink> => {
  const received: ReceivedMail[] = []
  const waiting = new Set<() => void>()
  const sockets = new Set<Socket>()
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
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
        received.push(mail)
        for (const check of waiting) check()
        const answer = reply(received.length, mail)
        if (answer === 'stall') return
        if (answer === 'cut') for (const socket of sockets) socket.destroy()
        else if (answer === 'accept') done()
        else
          setTimeout(
            () =>
              answer.code < 300 ? done(null, answer.text) : done(Object.assign(new Error(answer.text), { responseCode: answer.code })),
            answer.afterMs ?? 0,
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
    arrived: (count) =>
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
