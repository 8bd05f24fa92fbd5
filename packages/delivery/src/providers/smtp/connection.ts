import { Readable } from 'node:stream'
import type SMTPConnection from 'nodemailer/lib/smtp-connection'
import type { SMTPConnectionSendInfo, SMTPEnvelope } from 'nodemailer/lib/smtp-connection'
import { startDeadline, systemClock } from '../../clock.ts'
import { type NodemailerError, SmtpConnectionError } from './errors.ts'

/** A message with its SMTP envelope. */
export interface SmtpMessage {
  readonly from: string
  readonly to: string
  readonly source: Buffer
  readonly smtpUtf8: boolean
}

/** The server's confirmation that it accepted a message. */
export interface SmtpReceipt {
  readonly response: string
  /** The `Message-ID` that the server assigned, if the server is known to replace the original one (Microsoft 365, Amazon SES). */
  readonly messageId: string | undefined
}

/** An open SMTP connection. It is logged in if a user name is configured. */
export interface SmtpConnection {
  /** Returns the number of messages that this connection has tried to send. */
  readonly messageCount: () => number
  readonly isOpen: () => boolean
  /**
   * Sends one message. Calls `onTransferStart` right before the first byte of the message is written, and `onTransferEnd` right
   * before the last one. Rejects with an {@link SmtpConnectionError}, or with the reason of `signal` if the signal aborts.
   */
  readonly send: (message: SmtpMessage, signal: AbortSignal, onTransferStart: () => void, onTransferEnd: () => void) => Promise<SmtpReceipt>
  /** Resolves when the connection is either ready for the next message or closed. */
  readonly ready: () => Promise<void>
  /** Sends QUIT and closes the connection. */
  readonly quit: () => void
  /** Closes the connection immediately. */
  readonly destroy: () => void
  /** Calls the listener once, when the connection ends. If the connection has already ended, calls it immediately. */
  readonly onEnd: (listener: () => void) => void
}

const chunkBytes = 64 * 1024

/**
 * An envelope to send. If the server rejects the sender or the recipient, nodemailer stores the error in the envelope. With
 * PIPELINING (RFC 2920), nodemailer reports this error only after the reply to DATA.
 */
interface Envelope extends SMTPEnvelope {
  readonly mailError?: NodemailerError
  readonly rejectedErrors?: readonly NodemailerError[]
}

/**
 * Wraps a nodemailer connection for the pool.
 *
 * @param timeoutMs The time limit, in milliseconds, for the commands RSET and QUIT. These commands run outside a
 * provider call, so no signal aborts them.
 */
export function wrapConnection(
  connection: SMTPConnection,
  extensions: ReadonlySet<string>,
  hasEnded: () => boolean,
  timeoutMs: number,
): SmtpConnection {
  let messageCount = 0
  let ready = Promise.resolve()
  return {
    messageCount: () => messageCount,
    isOpen: () => !hasEnded(),
    ready: () => ready,
    quit: () => {
      const cancelDeadline = startDeadline(systemClock, timeoutMs, () => connection.close())
      connection.once('end', cancelDeadline)
      connection.quit()
    },
    destroy: () => connection.close(),
    onEnd: (listener) => void (hasEnded() ? listener() : connection.once('end', listener)),
    async send(message, signal, onTransferStart, onTransferEnd) {
      signal.throwIfAborted()
      messageCount += 1
      const { from, to } = message
      const envelope: Envelope = { from, to: [to], size: message.source.length, use8BitMime: message.smtpUtf8 }
      let stream: Readable | undefined
      let transferred = false
      try {
        if (message.smtpUtf8 && !extensions.has('SMTPUTF8')) {
          throw Object.assign(new Error('The server does not support internationalized addresses (SMTPUTF8).'), { code: 'ESMTPUTF8' })
        }
        const { promise, resolve, reject } = Promise.withResolvers<SMTPConnectionSendInfo>()
        const onAbort = () => {
          connection.close()
          reject(signal.reason)
        }
        // The rejection is delayed by one turn of the event loop, so that the callback of `connection.send` can report a more
        // specific error first.
        const onEnd = () => setImmediate(() => reject(new Error('The connection was closed.')))
        signal.addEventListener('abort', onAbort, { once: true })
        connection.on('end', onEnd)
        try {
          stream = createSourceStream(message.source, onTransferStart, () => {
            transferred = true
            onTransferEnd()
          })
          if (message.smtpUtf8 && !/[\u0080-\uffff]/.test(from + to)) declareSmtpUtf8(connection)
          connection.send(envelope, stream, (error, info) =>
            error || !info ? reject(error ?? new Error('The server sent no response.')) : resolve(info),
          )
          const info = await promise
          return { response: info.response, messageId: info.serverMessageId }
        } finally {
          signal.removeEventListener('abort', onAbort)
          connection.off('end', onEnd)
        }
      } catch (error) {
        if (signal.aborted) throw error
        const failure = error as NodemailerError
        // The server may close the connection right after the rejection, without a reply to DATA.
        const rejection = envelope.mailError ?? envelope.rejectedErrors?.[0]
        // A command would become part of a message that is only partly written.
        const isPartlyWritten = stream?.readableDidRead && !stream.readableEnded
        ready = isPartlyWritten ? Promise.resolve(connection.close()) : resetOrClose(connection, failure, timeoutMs)
        throw new SmtpConnectionError('send', transferred, failure.response === undefined ? (rejection ?? failure) : failure)
      }
    },
  }
}

/**
 * Adds the parameter SMTPUTF8 to the next command if it is MAIL (RFC 6531 section 3.4). nodemailer adds it only if the envelope
 * requires it, and has no option for a message whose header requires it.
 */
function declareSmtpUtf8(connection: SMTPConnection): void {
  const internals = connection as unknown as { _sendCommand: (command: string, logged?: string) => void }
  const sendCommand = internals._sendCommand
  internals._sendCommand = (command, logged) => {
    internals._sendCommand = sendCommand
    sendCommand.call(connection, command.startsWith('MAIL FROM:') ? `${command} SMTPUTF8` : command, logged)
  }
}

/**
 * Creates a stream of the message source. nodemailer starts to read the stream when the server has replied 354, which
 * means that the server is ready for the message.
 */
function createSourceStream(bytes: Buffer, onFirstRead: () => void, onLastRead: () => void): Readable {
  let position = 0
  return new Readable({
    read() {
      if (position === 0) onFirstRead()
      const chunk = bytes.subarray(position, position + chunkBytes)
      position += chunk.length
      if (position >= bytes.length) onLastRead()
      this.push(chunk)
      if (position >= bytes.length) this.push(null)
    },
  })
}

/**
 * Prepares the connection for the next message after an error. If the server only rejected the message, resets the SMTP
 * session; otherwise, closes the connection.
 */
async function resetOrClose(connection: SMTPConnection, error: NodemailerError, timeoutMs: number): Promise<void> {
  const rejected = (error.code === 'EENVELOPE' || error.code === 'EMESSAGE') && error.response !== undefined && !/^421/.test(error.response)
  if (!rejected || connection.destroyed) {
    // `send` throws `ESMTPUTF8` before it sends anything, so the connection can stay open without a reset.
    if (error.code !== 'ESMTPUTF8') connection.close()
    return
  }
  const cancelDeadline = startDeadline(systemClock, timeoutMs, () => connection.close())
  await new Promise<void>((resolve) => {
    connection.once('end', resolve)
    connection.reset((resetError) => {
      // Without this call, every rejected message on a long-lived connection would leak a listener.
      connection.off('end', resolve)
      if (resetError) connection.close()
      resolve()
    })
  }).finally(cancelDeadline)
}
