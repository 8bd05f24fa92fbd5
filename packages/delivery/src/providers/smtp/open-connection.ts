import type { Socket } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import { systemClock } from '../../clock.ts'
import { startDeadline } from '../../deadline.ts'
import { DeliveryError } from '../../delivery-error.ts'
import type { Egress } from '../../egress.ts'
import { type SmtpConnection, wrapConnection } from './connection.ts'
import { type NodemailerFault, SmtpConnectionError, type SmtpStep } from './connection-error.ts'

/** How a connection is made. */
export interface SmtpConnectionOptions {
  readonly host: string
  readonly port?: number | undefined
  readonly security: 'starttls' | 'tls' | 'none'
  readonly user?: string | undefined
  readonly password?: string | undefined
  /** Time for one call; every step of the connection gets less. Milliseconds. */
  readonly timeoutMs: number
  /** Which addresses may be reached. */
  readonly egress: Pick<Egress, 'connect'>
  /** Added to the TLS options, such as a private certificate authority. */
  readonly tls?: ConnectionOptions | undefined
}

const largestReplyBytes = 64 * 1024
// nodemailer's timers fire before an answer is read that came while the event loop was blocked. They are a net under `startDeadline`.
const netMs = 600_000

/** Connects and logs in. Rejects with an {@link SmtpConnectionError}; an abort destroys the socket. */
export async function openSmtpConnection(options: SmtpConnectionOptions, signal: AbortSignal): Promise<SmtpConnection> {
  const { host, security, user, password, timeoutMs, egress } = options
  const port = options.port ?? (security === 'tls' ? 465 : 587)
  const setupMs = Math.ceil(timeoutMs * 0.5)
  const socket = await connectSocket(() => egress.connect({ host, port, timeoutMs: setupMs }, signal), signal)
  const connection = new SMTPConnection({
    host,
    port,
    connection: socket,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    opportunisticTLS: security === 'none',
    connectionTimeout: netMs,
    greetingTimeout: netMs,
    socketTimeout: netMs,
    socketCloseTimeout: 0,
    maxResponseSize: largestReplyBytes,
    tls: { minVersion: 'TLSv1.2', ...(security === 'none' ? { rejectUnauthorized: false } : {}), ...options.tls },
  })
  let step: SmtpStep = 'connect'
  let ended = false
  let isLate = false
  const abort = () => connection.close()
  const cancelDeadline = startDeadline(systemClock, setupMs, () => {
    isLate = true
    connection.close()
  })
  connection.once('end', () => {
    ended = true
  })
  try {
    signal.addEventListener('abort', abort, { once: true })
    await new Promise<void>((resolve, reject) => {
      // Also keeps a later error of an idle connection from ending the process.
      connection.on('error', reject)
      connection.once('end', () => reject(new Error('The connection was closed.')))
      connection.connect((error) => (error ? reject(error) : resolve()))
    })
    const extensions = extensionsOf(connection.lastServerResponse)
    if (user !== undefined && password !== undefined) {
      step = 'authenticate'
      if (!connection.allowsAuth) {
        throw Object.assign(new Error('The server offers no authentication on this connection.'), { code: 'EAUTHNOTOFFERED' })
      }
      await new Promise<void>((resolve, reject) => {
        connection.once('error', reject)
        connection.once('end', () => reject(new Error('The connection was closed.')))
        connection.login({ user, pass: password, credentials: { user, pass: password } }, (error) => (error ? reject(error) : resolve()))
      })
    }
    return wrapConnection(connection, extensions, () => ended, timeoutMs)
  } catch (error) {
    connection.close()
    signal.throwIfAborted()
    throw new SmtpConnectionError(step, false, isLate ? tooLate() : (error as NodemailerFault))
  } finally {
    cancelDeadline()
    signal.removeEventListener('abort', abort)
  }
}

const tooLate = (): NodemailerFault => Object.assign(new Error('The server did not answer in time.'), { code: 'ETIMEDOUT' })

async function connectSocket(connect: () => Promise<Socket>, signal: AbortSignal): Promise<Socket> {
  try {
    return await connect()
  } catch (error) {
    signal.throwIfAborted()
    throw error instanceof DeliveryError ? error : new SmtpConnectionError('connect', false, error as NodemailerFault)
  }
}

/** The keywords of an EHLO reply (RFC 5321 section 4.1.1.1). */
function extensionsOf(reply: string | false): ReadonlySet<string> {
  const lines = (reply || '').split(/\r?\n/).slice(1)
  return new Set(
    lines.map(
      (line) =>
        line
          .replace(/^\d{3}[ -]/, '')
          .split(' ')[0]
          ?.toUpperCase() ?? '',
    ),
  )
}
