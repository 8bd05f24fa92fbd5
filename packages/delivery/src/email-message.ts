import { createHash } from 'node:crypto'
import { type Mailbox, parseMailbox } from '@flowpost/domain'
import * as base64 from 'nodemailer/lib/base64'
import { foldLines } from 'nodemailer/lib/mime-funcs'
import MimeNode from 'nodemailer/lib/mime-node'
import * as quotedPrintable from 'nodemailer/lib/qp'
import { formatMailbox, wireAddress } from './mailbox.ts'
import type { ComposedMessage, OutgoingMessage } from './provider.ts'

/** Who an email comes from. */
export interface EmailSender {
  /** An address, or `Name <address>`. */
  readonly from: string
  readonly reply_to?: string | undefined
}

/** The message identifier (RFC 5322 section 3.6.4): the same for every attempt, so that a receiver can drop a repeat. */
export function messageIdOf(message: OutgoingMessage, sender: EmailSender): string {
  const address = wireAddress(mailbox(sender.from).address)
  return `<${message.deliveryId}@${address.slice(address.lastIndexOf('@') + 1)}>`
}

/**
 * Builds the MIME source of an email: `text/plain`, or `multipart/alternative` with an HTML view.
 * Pure: date, identifier and boundary come from the message. No field can add a header.
 *
 * nodemailer's encoders, without its streams: those take most of the time of sending, and add a date and a
 * boundary of their own.
 */
export function composeEmail(
  message: OutgoingMessage,
  sender: EmailSender,
): ComposedMessage & { readonly envelope: { readonly from: string } } {
  const { subject, text, html } = message.content
  const from = mailbox(sender.from)
  const to = { name: '', address: message.target }
  const replyTo = sender.reply_to === undefined ? undefined : mailbox(sender.reply_to)
  const fields: [name: string, shown: string, wire: string][] = [
    ['From', formatMailbox(from), wireMailbox(from)],
    ['To', formatMailbox(to), wireMailbox(to)],
    ...(replyTo ? [['Reply-To', formatMailbox(replyTo), wireMailbox(replyTo)] satisfies [string, string, string]] : []),
    ['Subject', oneLine(subject), MimeNode.encodeHeaderValue('Subject', oneLine(subject))],
    ...[
      ['Message-ID', messageIdOf(message, sender)] as const,
      ['Date', message.createdAt.toUTCString().replace('GMT', '+0000')] as const,
      // RFC 3834: keeps vacation responders from answering.
      ['Auto-Submitted', 'auto-generated'] as const,
      ['MIME-Version', '1.0'] as const,
    ].map(([name, value]): [string, string, string] => [name, value, value]),
  ]
  const head = fields.map(([name, , wire]) => `${foldLines(`${name}: ${wire}`, 76)}\r\n`).join('')
  return {
    headers: fields.map(([name, shown]) => [name, shown] as const),
    text,
    ...(html === undefined ? {} : { html }),
    raw: head + body(message),
    envelope: { from: wireAddress(from.address), to: wireAddress(message.target) },
  }
}

function body(message: OutgoingMessage): string {
  const { text, html } = message.content
  const plain = part('text/plain', text)
  // SMTP ends a message with a line break (RFC 5321 section 4.1.1.4); between parts, that before a boundary is not theirs.
  if (html === undefined) return plain.endsWith('\r\n') ? plain : `${plain}\r\n`
  const boundary = boundaryOf(message)
  const parts = [plain, part('text/html', html)].map((each) => `--${boundary}\r\n${each}\r\n`)
  return `Content-Type: multipart/alternative; boundary="${boundary}"\r\n\r\n${parts.join('')}--${boundary}--\r\n`
}

function part(type: string, content: string): string {
  const text = withCrlf(content)
  const [encoding, encoded] = encode(text)
  return `Content-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${encoded}`
}

/** As it is where that is safe (RFC 2045 section 2.7), else in the shorter of the two encodings. */
function encode(text: string): [encoding: string, encoded: string] {
  if (/^[\t\r\n\u0020-\u007e]*$/.test(text) && !/[^\r\n]{77}/.test(text)) return ['7bit', text]
  const bytes = Buffer.from(text, 'utf8')
  const special = bytes.reduce((count, byte) => (byte > 0x7e || byte === 0x3d ? count + 1 : count), 0)
  if (bytes.length + 2 * special > (bytes.length * 4) / 3) return ['base64', base64.wrap(base64.encode(bytes), 76)]
  return ['quoted-printable', quotedPrintable.wrap(quotedPrintable.encode(bytes), 76)]
}

/** A multipart boundary. It depends on the content, so that whoever wrote that cannot have put it in. */
export function boundaryOf(message: OutgoingMessage): string {
  const hash = createHash('sha256').update(JSON.stringify([message.deliveryId, message.target, message.content]))
  return `flowpost-${hash.digest('hex').slice(0, 32)}`
}

function mailbox(text: string): Mailbox {
  const parsed = parseMailbox(text)
  if (!parsed) throw new TypeError('The sender is not a mailbox.')
  return parsed
}

function wireMailbox({ name, address }: Mailbox): string {
  return MimeNode.encodeHeaderValue('To', { name, address: wireAddress(address) })
}

/** A header value without line breaks and other control characters. */
export function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a control character in a header is an injection.
  return text.toWellFormed().replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')
}

/** Line endings as email wants them (RFC 5321 section 2.3.8). */
export function withCrlf(text: string): string {
  return text.toWellFormed().replace(/\r\n|\r|\n/g, '\r\n')
}
