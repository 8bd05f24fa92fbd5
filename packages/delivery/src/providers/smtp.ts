import type { ConnectionOptions } from 'node:tls'
import { smtpDeploymentSettings, smtpDescription } from '@flowpost/domain'
import { type Clock, systemClock } from '../clock.ts'
import { DeliveryError } from '../delivery-error.ts'
import { messageIdOf } from '../email-parts.ts'
import { needsSmtpUtf8 } from '../mailbox.ts'
import { defineProvider } from '../provider.ts'
import { SmtpConnectionError } from './smtp/connection-error.ts'
import { replyCode, smtpFailure } from './smtp/failure.ts'
import { createSmtpPool, type SmtpPool } from './smtp/pool.ts'

export { fromSmtpUrl } from './smtp/connection-url.ts'

/** What a deployment may decide about SMTP. */
export interface SmtpOptions {
  /** Connections to one server with one credential, at most. Default 20. */
  readonly maxConnections?: number
  /** Added to the TLS options of every connection, such as `ca` for a private certificate authority. */
  readonly tls?: ConnectionOptions
  readonly clock?: Clock
}

const maxMessages = 100
const maxIdleMs = 30_000

// nodemailer is loaded with the first email: most processes of a server only describe the provider.
let loadedEmail: Promise<typeof import('../email-message.ts')> | undefined
const loadEmail = () => {
  loadedEmail ??= import('../email-message.ts')
  return loadedEmail
}

/** Makes the provider `smtp`: email through any server that speaks SMTP (RFC 5321) with STARTTLS or TLS. */
export function createSmtp({ maxConnections = 20, tls, clock = systemClock }: SmtpOptions = {}) {
  return defineProvider({
    ...smtpDescription,
    deploymentSettings: smtpDeploymentSettings,
    placeholder: { host: 'localhost', security: 'none', from: 'Flowpost <flowpost@localhost>' },
    compose: async (message, sender) => (await loadEmail()).composeEmail(message, sender),

    open({ settings, secrets, timeoutMs, egress }): SmtpPool {
      const { host, port, security, user } = settings
      const { password } = secrets
      if (user !== undefined && password === undefined) {
        throw new DeliveryError({
          kind: 'credential',
          code: 'password_missing',
          detail: 'The integration names a user but has no password.',
        })
      }
      const open = async (signal: AbortSignal) => {
        const { openSmtpConnection } = await import('./smtp/open-connection.ts')
        return openSmtpConnection({ host, port, security, user, password, timeoutMs, egress, tls }, signal)
      }
      return createSmtpPool({ open, maxConnections, maxMessages, maxIdleMs, clock })
    },
    close: (pool) => pool.close(),

    async send({ message, settings, session, signal, leaving }) {
      const { composeEmail } = await loadEmail()
      const { raw, envelope } = composeEmail(message, settings)
      const { from, to } = envelope
      const smtpUtf8 = needsSmtpUtf8(from) || needsSmtpUtf8(to)
      try {
        const receipt = await session.send({ from, to, source: Buffer.from(raw, 'utf8'), smtpUtf8 }, signal, leaving)
        const { response, messageId = messageIdOf(message, settings) } = receipt
        return { providerMessageId: messageId, response, code: replyCode(response) }
      } catch (error) {
        throw smtpFailure(error)
      }
    },

    async check({ session, signal, settings }) {
      const login =
        settings.user === undefined
          ? []
          : [{ name: 'authenticate', ok: true, code: 'ok', detail: 'The server accepted user and password.' }]
      const connected = { name: 'connect', ok: true, code: 'ok', detail: 'The server answered.' }
      try {
        await session.verify(signal)
        return [connected, ...login]
      } catch (error) {
        const failure = smtpFailure(error)
        if (!(failure instanceof DeliveryError)) throw failure
        const finding = { ok: false, code: failure.code, detail: failure.detail }
        return hasAnswered(error, failure) ? [connected, { name: 'authenticate', ...finding }] : [{ name: 'connect', ...finding }]
      }
    },
  })
}

/** Returns whether the server was reached and greeted. An address or a port that may not be reached is never connected to. */
function hasAnswered(error: unknown, failure: DeliveryError): boolean {
  return error instanceof SmtpConnectionError && (error.step !== 'connect' || failure.kind === 'credential')
}

/** Email over SMTP, with the defaults of {@link createSmtp}. */
export const smtp = createSmtp()
