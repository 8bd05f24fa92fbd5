import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

/** A message as the SMTP server has received it. */
export interface ReceivedMail {
  readonly from: string
  readonly to: readonly string[]
  readonly raw: string
}

/** A real SMTP server that keeps what it receives. */
export interface SmtpSink extends AsyncDisposable {
  readonly url: string
  readonly received: readonly ReceivedMail[]
  /** Resolves once that many messages have come in. */
  arrived(count: number): Promise<void>
}

/** Starts an SMTP server on a free port of 127.0.0.1. */
export const startSmtpSink = async (): Promise<SmtpSink> => {
  const received: ReceivedMail[] = []
  let onMail = () => {}
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData: (stream, session, done) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope
        received.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          raw: Buffer.concat(chunks).toString('utf8'),
        })
        done()
        onMail()
      })
    },
  })
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${port}`,
    received,
    arrived: (count) =>
      new Promise((resolve) => {
        onMail = () => received.length >= count && resolve()
        onMail()
      }),
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
