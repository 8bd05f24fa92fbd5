import { Readable } from 'node:stream'
import type { ConnectionOptions } from 'node:tls'
import SMTPConnection, { type SMTPConnectionSendInfo } from 'nodemailer/lib/smtp-connection'

/** How a connection is made. */
export interface SmtpConnectionOptions {
  readonly host: string
  readonly port?: number | undefined
  readonly security: 'starttls' | 'tls' | 'none'
  readonly user?: string | undefined
  readonly password?: string | undefined
  /** Time for one call; every step of the connection gets less. Milliseconds. */
  readonly timeoutMs: number
  /** Added to the TLS options, such as a private certificate authority. */
  readonly tls?: ConnectionOptions | undefined
}

/** A message as SMTP carries it. */
export interface SmtpMessage {
  readonly from: string
  readonly to: string
  readonly source: Buffer
  readonly smtpUtf8: boolean
}

/** The server's word that it has taken a message over. */
export interface SmtpReceipt {
  readonly response: string
  /** The `Message-ID` that the server put in place of ours, where it is known to do so (Microsoft 365, Amazon SES). */
  readonly messageId: string | undefined
}

/** What went wrong, and how far the exchange had come. */
export class SmtpConnectionError extends Error {
  override readonly name = 'SmtpConnectionError'
  readonly step: SmtpStep
  /** True once the server may have seen the end of the message. */
  readonly transferred: boolean
  /** nodemailer's code, as in `EAUTH`, or ours. */
  readonly code: string
  /** The code of the operating system or of DNS, as in `ECONNREFUSED`. */
  readonly systemCode: string | undefined
  readonly command: string | undefined
  /** The server's reply that decided it. */
  readonly response: string | undefined

  constructor(step: SmtpStep, transferred: boolean, cause: NodemailerFault) {
    super(cause.message)
    this.step = step
    this.transferred = transferred
    this.code = cause.code ?? 'ESOCKET'
    this.systemCode = cause.originalCode ?? undefined
    this.command = cause.command
    this.response = cause.response
  }
}

export type SmtpStep = 'connect' | 'authenticate' | 'send'

type NodemailerFault = Error & { code?: string; originalCode?: string; command?: string; response?: string }

/** One logged-in session with a server. */
export interface SmtpConnection {
  /** How many messages were tried on it. */
  readonly messages: () => number
  readonly isOpen: () => boolean
  /** Sends one message. `onTransfer` is called when its first byte is about to be written. Rejects with an {@link SmtpConnectionError}. */
  readonly send: (message: SmtpMessage, signal: AbortSignal, onTransfer: () => void) => Promise<SmtpReceipt>
  /** Resolves when the next message may be sent, or the connection has ended. */
  readonly settled: () => Promise<void>
  /** Says goodbye and closes. */
  readonly quit: () => void
  /** Drops the connection at once. */
  readonly destroy: () => void
  /** Called once when the connection has ended, whoever ended it. */
  readonly onEnd: (listener: () => void) => void
}

const largestReplyBytes = 64 * 1024
const chunkBytes = 64 * 1024

/** Connects and logs in. Rejects with an {@link SmtpConnectionError}; an abort destroys the socket. */
export async function openSmtpConnection(options: SmtpConnectionOptions, signal: AbortSignal): Promise<SmtpConnection> {
  signal.throwIfAborted()
  const { host, port, security, user, password, timeoutMs } = options
  const connection = new SMTPConnection({
    host,
    port: port ?? (security === 'tls' ? 465 : 587),
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    opportunisticTLS: security === 'none',
    connectionTimeout: Math.ceil(timeoutMs * 0.5),
    greetingTimeout: Math.ceil(timeoutMs * 0.5),
    dnsTimeout: Math.ceil(timeoutMs * 0.3),
    socketTimeout: Math.ceil(timeoutMs * 0.8),
    socketCloseTimeout: 0,
    maxResponseSize: largestReplyBytes,
    tls: { minVersion: 'TLSv1.2', ...(security === 'none' ? { rejectUnauthorized: false } : {}), ...options.tls },
  })
  let step: SmtpStep = 'connect'
  let ended = false
  const abort = () => connection.close()
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
    return wrap(connection, extensions, () => ended)
  } catch (error) {
    connection.close()
    signal.throwIfAborted()
    throw new SmtpConnectionError(step, false, error as NodemailerFault)
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

function wrap(connection: SMTPConnection, extensions: ReadonlySet<string>, hasEnded: () => boolean): SmtpConnection {
  let messages = 0
  let settled = Promise.resolve()
  return {
    messages: () => messages,
    isOpen: () => !hasEnded(),
    settled: () => settled,
    quit: () => connection.quit(),
    destroy: () => connection.close(),
    onEnd: (listener) => void (hasEnded() ? listener() : connection.once('end', listener)),
    async send(message, signal, onTransfer) {
      signal.throwIfAborted()
      messages += 1
      let transferred = false
      try {
        if (message.smtpUtf8 && !extensions.has('SMTPUTF8')) {
          throw Object.assign(new Error('The server cannot take internationalised addresses (SMTPUTF8).'), { code: 'ESMTPUTF8' })
        }
        const { promise, resolve, reject } = Promise.withResolvers<SMTPConnectionSendInfo>()
        const abort = () => {
          connection.close()
          reject(signal.reason)
        }
        signal.addEventListener('abort', abort, { once: true })
        try {
          const stream = source(message.source, onTransfer, () => {
            transferred = true
          })
          const { from, to } = message
          connection.send({ from, to: [to], size: message.source.length, use8BitMime: message.smtpUtf8 }, stream, (error, info) =>
            error || !info ? reject(error ?? new Error('No answer.')) : resolve(info),
          )
          const info = await promise
          return { response: info.response, messageId: info.serverMessageId }
        } finally {
          signal.removeEventListener('abort', abort)
        }
      } catch (error) {
        if (signal.aborted) throw error
        settled = settle(connection, error as NodemailerFault)
        throw new SmtpConnectionError('send', transferred, error as NodemailerFault)
      }
    },
  }
}

/** The message as a stream that tells when its first byte is asked for, which is after the server said 354, and when its last was. */
function source(bytes: Buffer, onFirst: () => void, onLast: () => void): Readable {
  let position = 0
  return new Readable({
    read() {
      if (position === 0) onFirst()
      const chunk = bytes.subarray(position, position + chunkBytes)
      position += chunk.length
      if (position >= bytes.length) onLast()
      this.push(chunk)
      if (position >= bytes.length) this.push(null)
    },
  })
}

/** After a refused message the session is reset so that it can go on; after anything else it ends. */
async function settle(connection: SMTPConnection, error: NodemailerFault): Promise<void> {
  const refused = (error.code === 'EENVELOPE' || error.code === 'EMESSAGE') && error.response !== undefined && !/^421/.test(error.response)
  if (!refused || connection.destroyed) {
    if (error.code !== 'ESMTPUTF8') connection.close()
    return
  }
  await new Promise<void>((resolve) => {
    connection.once('end', resolve)
    connection.reset((failed) => {
      if (failed) connection.close()
      resolve()
    })
  })
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
