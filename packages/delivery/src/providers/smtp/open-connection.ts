import type { Socket } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import { startDeadline, systemClock } from '../../clock.ts'
import { DeliveryError } from '../../delivery-error.ts'
import type { Egress } from '../../network/egress.ts'
import { type SmtpConnection, wrapConnection } from './connection.ts'
import { type NodemailerError, SmtpConnectionError, type SmtpStep } from './errors.ts'

/** Options for {@link openSmtpConnection}. */
export interface SmtpConnectionOptions {
  readonly host: string
  readonly port?: number | undefined
  readonly security: 'starttls' | 'tls' | 'none'
  readonly user?: string | undefined
  readonly password?: string | undefined
  /**
   * The time limit, in milliseconds, for one provider call. Opening the TCP connection may take at most half of this
   * time. The SMTP handshake and the login together may also take at most half of it.
   */
  readonly timeoutMs: number
  /** Opens the TCP connection. Connects only to addresses that are allowed. */
  readonly egress: Pick<Egress, 'connect'>
  /** Additional TLS options, such as a private certificate authority. */
  readonly tls?: ConnectionOptions | undefined
}

const maxReplyBytes = 64 * 1024
// The timeout for nodemailer's timers. It is long, so that the deadlines set with `startDeadline` pass first. nodemailer's timers
// are unreliable: if a reply arrives while the event loop is blocked, a timer can fire before the reply is read. A deadline of
// `startDeadline` passes only after the reply is read.
const fallbackTimeoutMs = 600_000

/**
 * Connects to an SMTP server, and logs in if `user` and `password` are set. If `signal` aborts before the
 * connection is ready, closes it and throws the signal's reason.
 *
 * @throws SmtpConnectionError when connecting or logging in fails, or DeliveryError when the address is not allowed.
 */
export async function openSmtpConnection(options: SmtpConnectionOptions, signal: AbortSignal): Promise<SmtpConnection> {
  const { host, security, user, password, timeoutMs, egress } = options
  const port = options.port ?? (security === 'tls' ? 465 : 587)
  const connectTimeoutMs = Math.ceil(timeoutMs * 0.5)
  const socket = await connectSocket(() => egress.connect({ host, port, timeoutMs: connectTimeoutMs }, signal), signal)
  const connection = new SMTPConnection({
    host,
    port,
    connection: socket,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    opportunisticTLS: security === 'none',
    connectionTimeout: fallbackTimeoutMs,
    greetingTimeout: fallbackTimeoutMs,
    socketTimeout: fallbackTimeoutMs,
    socketCloseTimeout: 0,
    maxResponseSize: maxReplyBytes,
    tls: { minVersion: 'TLSv1.2', ...(security === 'none' ? { rejectUnauthorized: false } : {}), ...options.tls },
  })
  let step: SmtpStep = 'connect'
  let ended = false
  let timedOut = false
  const onAbort = () => connection.close()
  const cancelDeadline = startDeadline(systemClock, connectTimeoutMs, () => {
    timedOut = true
    connection.close()
  })
  connection.once('end', () => {
    ended = true
  })
  try {
    signal.addEventListener('abort', onAbort, { once: true })
    await new Promise<void>((resolve, reject) => {
      // This listener is never removed. Without it, an error on an idle connection would end the process.
      connection.on('error', reject)
      connection.once('end', () => reject(new Error('The connection was closed.')))
      connection.connect((error) => (error ? reject(error) : resolve()))
    })
    const extensions = parseExtensions(connection.lastServerResponse)
    const mechanisms = extensions.get('AUTH')
    if (user !== undefined && password !== undefined) {
      step = 'authenticate'
      // Without this check, nodemailer would send AUTH PLAIN to a server that offers only other mechanisms. `mechanisms` is
      // undefined if the server does not know EHLO.
      if (!connection.allowsAuth || mechanisms?.some(isPasswordMechanism) === false) {
        throw Object.assign(new Error('The server offers no authentication on this connection.'), { code: 'EAUTHNOTOFFERED' })
      }
      await new Promise<void>((resolve, reject) => {
        connection.once('error', reject)
        connection.once('end', () => reject(new Error('The connection was closed.')))
        connection.login({ user, pass: password, credentials: { user, pass: password } }, (error) => (error ? reject(error) : resolve()))
      })
    }
    return wrapConnection(connection, new Set(extensions.keys()), () => ended, timeoutMs)
  } catch (error) {
    connection.close()
    signal.throwIfAborted()
    throw new SmtpConnectionError(step, false, timedOut ? timeoutError() : (error as NodemailerError))
  } finally {
    cancelDeadline()
    signal.removeEventListener('abort', onAbort)
  }
}

const timeoutError = (): NodemailerError => Object.assign(new Error('The server did not respond in time.'), { code: 'ETIMEDOUT' })

async function connectSocket(connect: () => Promise<Socket>, signal: AbortSignal): Promise<Socket> {
  try {
    return await connect()
  } catch (error) {
    signal.throwIfAborted()
    throw error instanceof DeliveryError ? error : new SmtpConnectionError('connect', false, error as NodemailerError)
  }
}

/** Returns whether an authentication mechanism is supported here and needs only a user and a password. */
function isPasswordMechanism(mechanism: string): boolean {
  return ['PLAIN', 'LOGIN', 'CRAM-MD5'].includes(mechanism)
}

/**
 * Returns the parameters of the extensions that an EHLO reply lists, by keyword, in upper case (RFC 5321 section 4.1.1.1).
 * Some servers write `AUTH=` instead of `AUTH`, or list both; the parameters are then combined.
 */
function parseExtensions(reply: string | false): ReadonlyMap<string, readonly string[]> {
  const extensions = new Map<string, string[]>()
  for (const line of (reply || '').toUpperCase().split(/\r?\n/).slice(1)) {
    const [keyword = '', ...parameters] = line.replace(/^\d{3}[ -]/, '').split(/[\s=]+/)
    extensions.set(keyword, [...(extensions.get(keyword) ?? []), ...parameters.filter((parameter) => parameter !== '')])
  }
  return extensions
}
