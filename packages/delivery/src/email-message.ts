import { createHash } from 'node:crypto'
import MailComposer from 'nodemailer/lib/mail-composer'
import { type Mailbox, parseMailbox, wireAddress } from './mailbox.ts'
import type { ComposedMessage, OutgoingMessage } from './provider.ts'

/** Who an email comes from. */
export interface EmailSender {
  /** An address, or `Name <address>`. */
  readonly from: string
  readonly reply_to?: string | undefined
}

/** The message identifier (RFC 5322 section 3.6.4): the same for every attempt, so that a receiver can drop a repeat. */
export function messageIdOf(message: OutgoingMessage, sender: EmailSender): string {
  const { address } = mailbox(sender.from)
  return `<${message.deliveryId}@${wireAddress(address).slice(address.lastIndexOf('@') + 1)}>`
}

/**
 * Builds the MIME source of an email: `text/plain`, or `multipart/alternative` with an HTML view.
 * Pure: date, identifier and boundary come from the message. No field can add a header.
 */
export async function composeEmail(message: OutgoingMessage, sender: EmailSender): Promise<ComposedMessage> {
  const { subject, text, html } = message.content
  const from = mailbox(sender.from)
  const replyTo = sender.reply_to === undefined ? undefined : mailbox(sender.reply_to)
  const composer = new MailComposer({
    from: { name: from.name, address: wireAddress(from.address) },
    to: { name: '', address: wireAddress(message.target) },
    ...(replyTo ? { replyTo: { name: replyTo.name, address: wireAddress(replyTo.address) } } : {}),
    subject: oneLine(subject),
    messageId: messageIdOf(message, sender),
    date: message.createdAt,
    // RFC 3834: keeps vacation responders from answering.
    headers: { 'Auto-Submitted': 'auto-generated' },
    text: { content: withCrlf(text), contentType: 'text/plain; charset=utf-8' },
    ...(html === undefined ? {} : { html: { content: withCrlf(html), contentType: 'text/html; charset=utf-8' } }),
    baseBoundary: boundaryOf(message),
    newline: 'win',
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const source = await composer.compile().build()
  const raw = source.toString('utf8')
  return {
    headers: headersOf(raw),
    text,
    ...(html === undefined ? {} : { html }),
    raw,
    envelope: { from: wireAddress(from.address), to: wireAddress(message.target) },
  }
}

function mailbox(text: string): Mailbox {
  const parsed = parseMailbox(text)
  if (!parsed) throw new TypeError('The sender is not a mailbox.')
  return parsed
}

/** A boundary that depends on the content cannot be foreseen by whoever wrote the content. */
function boundaryOf(message: OutgoingMessage): string {
  return createHash('sha256')
    .update(JSON.stringify([message.deliveryId, message.target, message.content]))
    .digest('hex')
    .slice(0, 24)
}

function headersOf(raw: string): Array<readonly [string, string]> {
  const block = raw.slice(0, raw.indexOf('\r\n\r\n'))
  return block
    .replace(/\r\n(?=[ \t])/g, '')
    .split('\r\n')
    .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()] as const)
}

/** A header value without line breaks and other control characters. */
export function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a control character in a header is an injection.
  return text.toWellFormed().replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')
}

/** Line endings as SMTP wants them (RFC 5321 section 2.3.8). */
function withCrlf(text: string): string {
  return text.toWellFormed().replace(/\r\n|\r|\n/g, '\r\n')
}
