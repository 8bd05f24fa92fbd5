import type { Mailbox } from '@flowpost/domain'
import * as base64 from 'nodemailer/lib/base64'
import { foldLines } from 'nodemailer/lib/mime-funcs'
import * as quotedPrintable from 'nodemailer/lib/qp'
import { encodeMailbox, encodeSubject } from './email-headers.ts'
import { boundaryOf, type EmailSender, mailbox, messageIdOf, oneLine, withCrlf } from './email-parts.ts'
import { formatMailbox, wireAddress } from './mailbox.ts'
import type { ComposedMessage, OutgoingMessage } from './provider.ts'

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
  const { text, html } = message.content
  const subject = oneLine(message.content.subject)
  const from = mailbox(sender.from)
  const to = { name: '', address: message.target }
  const replyTo = sender.reply_to === undefined ? undefined : mailbox(sender.reply_to)
  const fields: [name: string, shown: string, wire: string][] = [
    ['From', formatMailbox(from), wireMailbox(from)],
    ['To', formatMailbox(to), wireMailbox(to)],
    ...(replyTo ? [['Reply-To', formatMailbox(replyTo), wireMailbox(replyTo)] satisfies [string, string, string]] : []),
    ['Subject', subject, encodeSubject(subject)],
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

function wireMailbox({ name, address }: Mailbox): string {
  return encodeMailbox({ name, address: wireAddress(address) })
}
