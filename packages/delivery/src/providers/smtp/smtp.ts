import type { ConnectionOptions } from 'node:tls'
import { smtpDeploymentSettings, smtpDescription } from '@flowpost/domain'
import { type Clock, systemClock } from '../../clock.ts'
import { DeliveryError } from '../../delivery-error.ts'
import { parseSender, requiresSmtpUtf8 } from '../../email/address.ts'
import { getMessageId } from '../../email/mime.ts'
import { defineProvider } from '../../provider.ts'
import { readBounceReport } from '../../reports/bounce-report.ts'
import { getStatusCode, SmtpConnectionError, toDeliveryError } from './errors.ts'
import { createSmtpPool, type SmtpPool } from './pool.ts'

/** The options with which a deployment configures the provider `smtp`. */
export interface SmtpOptions {
  /**
   * The maximum number of connections per credential for sending messages. A credential check uses one more.
   * @default 20
   */
  readonly maxConnections?: number
  /** Additional TLS options for every connection, such as `ca` for a private certificate authority. */
  readonly tls?: ConnectionOptions
  readonly clock?: Clock
}

const maxMessagesPerConnection = 100
const maxIdleMs = 30_000

// nodemailer is loaded when it is first used, because most processes only need the provider's description.
let composerModule: Promise<typeof import('../../email/compose-email.ts')> | undefined
const loadComposer = () => {
  composerModule ??= import('../../email/compose-email.ts')
  return composerModule
}

/** Creates the provider `smtp`, which sends email through any server that supports SMTP (RFC 5321) with STARTTLS or TLS. */
export function createSmtp({ maxConnections = 20, tls, clock = systemClock }: SmtpOptions = {}) {
  return defineProvider({
    ...smtpDescription,
    deploymentSettings: smtpDeploymentSettings,
    placeholderSettings: { host: 'localhost', security: 'none', from: 'Flowpost <flowpost@localhost>' },
    compose: async (message, sender) => (await loadComposer()).composeEmail(message, sender),

    open({ settings, secrets, timeoutMs, egress }): SmtpPool {
      const { host, port, security, user } = settings
      const { password } = secrets
      if (user !== undefined && password === undefined) {
        const detail = 'The integration has a user but no password.'
        throw new DeliveryError({ kind: 'credential', code: 'password_missing', detail })
      }
      const open = async (signal: AbortSignal) => {
        const { openSmtpConnection } = await import('./open-connection.ts')
        return openSmtpConnection({ host, port, security, user, password, timeoutMs, egress, tls }, signal)
      }
      return createSmtpPool({ open, maxConnections, maxMessagesPerConnection, maxIdleMs, clock })
    },
    close: (pool) => pool.close(),

    async send(context) {
      const { message, settings, session } = context
      const { composeEmail } = await loadComposer()
      const { raw, envelope } = composeEmail(message, settings)
      const { from, to } = envelope
      // The addresses in the header are not encoded, so the header may require SMTPUTF8 although the envelope does not.
      const header = raw.slice(0, raw.indexOf('\r\n\r\n'))
      const smtpUtf8 = requiresSmtpUtf8(from) || requiresSmtpUtf8(to) || /[^\r\n\t -~]/.test(header)
      try {
        const receipt = await session.send({ from, to, source: Buffer.from(raw, 'utf8'), smtpUtf8 }, context)
        const { response, messageId = getMessageId(message, parseSender(settings.from)) } = receipt
        return { providerMessageId: messageId, response, code: getStatusCode(response) }
      } catch (error) {
        throw toDeliveryError(error)
      }
    },

    async check({ session, signal, settings }) {
      const connected = { name: 'connect', ok: true, code: 'ok', detail: 'The server responded.' }
      const authenticated = { name: 'authenticate', ok: true, code: 'ok', detail: 'The server accepted the user and password.' }
      try {
        await session.verify(signal)
        return settings.user === undefined ? [connected] : [connected, authenticated]
      } catch (error) {
        const deliveryError = toDeliveryError(error)
        if (!(deliveryError instanceof DeliveryError)) throw deliveryError
        const failed = { ok: false, code: deliveryError.code, detail: deliveryError.detail }
        const isConnected = hasGreeted(error, deliveryError)
        return isConnected ? [connected, { name: 'authenticate', ...failed }] : [{ name: 'connect', ...failed }]
      }
    },

    readReport: readBounceReport,
  })
}

/**
 * Decides from the check's error whether the step `connect` passed. It passed if the error occurred in a later step, or if
 * the server replied that it requires authentication. Returns `false` for any error that is not an
 * {@link SmtpConnectionError}, such as the error for a forbidden address or port.
 */
function hasGreeted(error: unknown, deliveryError: DeliveryError): boolean {
  return error instanceof SmtpConnectionError && (error.step !== 'connect' || deliveryError.kind === 'credential')
}

/** The provider `smtp` with default options. */
export const smtp = createSmtp()
