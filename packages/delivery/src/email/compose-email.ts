import type { Mailbox } from '@flowpost/domain'
import * as base64 from 'nodemailer/lib/base64'
import { foldLines } from 'nodemailer/lib/mime-funcs'
import * as quotedPrintable from 'nodemailer/lib/qp'
import type { ComposedMessage, OutgoingMessage } from '../provider.ts'
import { toEnvelopeSender } from '../reports/bounce-address.ts'
import { type EmailSender, formatMailbox, parseSender, toAsciiAddress } from './address.ts'
import { encodeMailbox, encodeSubject } from './headers.ts'
import { getBoundary, getMessageId, sanitizeHeader, toCrlf } from './mime.ts'

/** Maximum length, in characters, of a header line and of an encoded body line (RFC 5322 section 2.1.1, RFC 2045 section 6.7). */
const maxLineLength = 76

/** A header: its name, its value as shown to people, and its value as sent. */
type Header = readonly [name: string, displayValue: string, encodedValue: string]

/**
 * Composes the MIME source of an email: `text/plain`, or `multipart/alternative` if the content has HTML. A pure function:
 * the date, message identifier and boundary are derived from the message. No field can inject a header.
 *
 * Uses nodemailer's encoders but not its MailComposer, because composing with MailComposer's streams takes about three times
 * as long.
 */
export function composeEmail(
  message: OutgoingMessage,
  sender: EmailSender,
): ComposedMessage & { readonly envelope: { readonly from: string } } {
  const { text, html } = message.content
  const from = parseSender(sender.from)
  const replyTo = sender.reply_to === undefined ? undefined : parseSender(sender.reply_to)
  const headers = createHeaders(message, from, replyTo)
  const head = headers.map(([name, , encodedValue]) => `${foldLines(`${name}: ${encodedValue}`, maxLineLength)}\r\n`).join('')
  return {
    headers: headers.map(([name, displayValue]) => [name, displayValue] as const),
    text,
    ...(html === undefined ? {} : { html }),
    raw: head + composeBody(message),
    envelope: { from: toAsciiAddress(getEnvelopeSender(message, sender, from)), to: toAsciiAddress(message.target) },
  }
}

function getEnvelopeSender({ deliveryId }: OutgoingMessage, { bounce_address: bounceAddress }: EmailSender, from: Mailbox): string {
  return bounceAddress === undefined ? from.address : toEnvelopeSender(bounceAddress, deliveryId)
}

function createHeaders(message: OutgoingMessage, from: Mailbox, replyTo: Mailbox | undefined): readonly Header[] {
  const subject = sanitizeHeader(message.content.subject)
  return [
    createAddressHeader('From', from),
    createAddressHeader('To', { name: '', address: message.target }),
    ...(replyTo === undefined ? [] : [createAddressHeader('Reply-To', replyTo)]),
    ['Subject', subject, encodeSubject(subject)],
    createPlainHeader('Message-ID', getMessageId(message, from)),
    createPlainHeader('Date', message.createdAt.toUTCString().replace('GMT', '+0000')),
    // Keeps vacation responders from answering (RFC 3834).
    createPlainHeader('Auto-Submitted', 'auto-generated'),
    createPlainHeader('MIME-Version', '1.0'),
  ]
}

function createAddressHeader(name: string, mailbox: Mailbox): Header {
  return [name, formatMailbox(mailbox), encodeMailbox({ name: mailbox.name, address: toAsciiAddress(mailbox.address) })]
}

function createPlainHeader(name: string, value: string): Header {
  return [name, value, value]
}

function composeBody(message: OutgoingMessage): string {
  const { text, html } = message.content
  const plainPart = composePart('text/plain', text)
  // SMTP requires a line break at the end of a message (RFC 5321 section 4.1.1.4).
  if (html === undefined) return plainPart.endsWith('\r\n') ? plainPart : `${plainPart}\r\n`
  const boundary = getBoundary(message)
  // The line break after a part belongs to the next boundary, not to the part (RFC 2046 section 5.1.1).
  const parts = [plainPart, composePart('text/html', html)].map((part) => `--${boundary}\r\n${part}\r\n`)
  return `Content-Type: multipart/alternative; boundary="${boundary}"\r\n\r\n${parts.join('')}--${boundary}--\r\n`
}

function composePart(type: string, content: string): string {
  const [encoding, encoded] = encodeBody(toCrlf(content))
  return `Content-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${encoded}`
}

/**
 * Encodes the body of a part. Uses `7bit` for ASCII with short lines (RFC 2045 section 2.7), otherwise the shorter of
 * quoted-printable and base64.
 */
function encodeBody(text: string): [encoding: string, encoded: string] {
  if (/^[\t\r\n\u0020-\u007e]*$/.test(text) && !/[^\r\n]{77}/.test(text)) return ['7bit', text]
  const bytes = Buffer.from(text, 'utf8')
  const escapedCount = bytes.reduce((count, byte) => (byte > 0x7e || byte === 0x3d ? count + 1 : count), 0)
  if (bytes.length + 2 * escapedCount > (bytes.length * 4) / 3) return ['base64', base64.wrap(base64.encode(bytes), maxLineLength)]
  return ['quoted-printable', quotedPrintable.wrap(quotedPrintable.encode(bytes), maxLineLength)]
}
