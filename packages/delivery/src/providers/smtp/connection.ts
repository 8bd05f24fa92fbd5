import { Readable } from 'node:stream'
import type SMTPConnection from 'nodemailer/lib/smtp-connection'
import type { SMTPConnectionSendInfo } from 'nodemailer/lib/smtp-connection'
import { systemClock } from '../../clock.ts'
import { startDeadline } from '../../deadline.ts'
import { type NodemailerFault, SmtpConnectionError } from './connection-error.ts'

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

const chunkBytes = 64 * 1024

/**
 * Gives a session of nodemailer's the form that the pool works with.
 * @param timeoutMs for the answer to a command that belongs to no call: a reset or a goodbye.
 */
export function wrapConnection(
  connection: SMTPConnection,
  extensions: ReadonlySet<string>,
  hasEnded: () => boolean,
  timeoutMs: number,
): SmtpConnection {
  let messages = 0
  let settled = Promise.resolve()
  return {
    messages: () => messages,
    isOpen: () => !hasEnded(),
    settled: () => settled,
    quit: () => {
      const cancelDeadline = startDeadline(systemClock, timeoutMs, () => connection.close())
      connection.once('end', cancelDeadline)
      connection.quit()
    },
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
        // Later than the callback of the message, which knows more.
        const end = () => setImmediate(() => reject(new Error('The connection was closed.')))
        signal.addEventListener('abort', abort, { once: true })
        connection.on('end', end)
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
          connection.off('end', end)
        }
      } catch (error) {
        if (signal.aborted) throw error
        settled = settle(connection, error as NodemailerFault, timeoutMs)
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
async function settle(connection: SMTPConnection, error: NodemailerFault, timeoutMs: number): Promise<void> {
  const refused = (error.code === 'EENVELOPE' || error.code === 'EMESSAGE') && error.response !== undefined && !/^421/.test(error.response)
  if (!refused || connection.destroyed) {
    if (error.code !== 'ESMTPUTF8') connection.close()
    return
  }
  const cancelDeadline = startDeadline(systemClock, timeoutMs, () => connection.close())
  await new Promise<void>((resolve) => {
    connection.once('end', resolve)
    connection.reset((failed) => {
      // A connection lives for many messages, and each that was refused would leave a listener behind.
      connection.off('end', resolve)
      if (failed) connection.close()
      resolve()
    })
  }).finally(cancelDeadline)
}
