import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

/** A received message, with the credentials of its SMTP session. */
export interface AuthenticatedMail {
  readonly user: string
  readonly password: string
  readonly from: string
  readonly to: string
  readonly subject: string
}

/** An SMTP server that requires authentication. */
export interface SmtpAuthServer extends AsyncDisposable {
  readonly port: number
  readonly received: readonly AuthenticatedMail[]
  /** Returns whether a password is accepted. Tests may replace it at any time. */
  acceptsPassword: (password: string) => boolean
  /** Returns whether a recipient is accepted. Tests may replace it at any time. */
  acceptsRecipient: (address: string) => boolean
}

/** The egress options that allow project integrations to connect to this machine. */
export const loopbackEgress = { allowedNetworks: ['127.0.0.0/8'], smtpPorts: 'any' } as const

/** Returns the settings of an SMTP integration that sends through `smtp`. */
export const smtpSettingsFor = (smtp: SmtpAuthServer, changes: object = {}) => ({
  host: '127.0.0.1',
  port: smtp.port,
  security: 'none',
  user: 'billing',
  from: 'Billing <billing@example.com>',
  ...changes,
})

/**
 * Starts the server on a free port of 127.0.0.1.
 * @param tls The key and the certificate for `STARTTLS`. @default offers no encryption
 */
export const startSmtpAuthServer = async (tls?: { readonly key: string; readonly cert: string }): Promise<SmtpAuthServer> => {
  const received: AuthenticatedMail[] = []
  const rejection = (responseCode: number, text: string) => Object.assign(new Error(text), { responseCode })
  const rules = {
    acceptsPassword: (_password: string) => true,
    acceptsRecipient: (_address: string) => true,
  }
  const server = new SMTPServer({
    ...(tls ?? { disabledCommands: ['STARTTLS'] }),
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) =>
      rules.acceptsPassword(password ?? '')
        ? done(null, { user: JSON.stringify([username, password]) })
        : done(rejection(535, `5.7.8 ${password} is not the password`)),
    onRcptTo: ({ address }, _session, done) => (rules.acceptsRecipient(address) ? done() : done(rejection(550, '5.1.1 No such user here'))),
    onData: (stream, session, done) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const [user, password] = JSON.parse(String(session.user)) as [string, string]
        const { mailFrom, rcptTo } = session.envelope
        const subject = /^Subject: (.*)$/im.exec(Buffer.concat(chunks).toString())?.[1]?.trim() ?? ''
        received.push({ user, password, from: mailFrom ? mailFrom.address : '', to: rcptTo[0]?.address ?? '', subject })
        done()
      })
    },
  })
  server.on('error', () => {})
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  return Object.assign(rules, {
    port: (server.server.address() as AddressInfo).port,
    received,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  })
}
