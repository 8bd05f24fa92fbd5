import { createHash } from 'node:crypto'
import { type Mailbox, parseMailbox } from '@flowpost/domain'
import { wireAddress } from './mailbox.ts'
import type { OutgoingMessage } from './provider.ts'

/** Who an email comes from. */
export interface EmailSender {
  /** An address, or `Name <address>`. */
  readonly from: string
  readonly reply_to?: string | undefined
}

const mostMailboxes = 1000
const mailboxes = new Map<string, Mailbox>()

/** The message identifier (RFC 5322 section 3.6.4): the same for every attempt, so that a receiver can drop a repeat. */
export function messageIdOf(message: OutgoingMessage, sender: EmailSender): string {
  const address = wireAddress(mailbox(sender.from).address)
  return `<${message.deliveryId}@${address.slice(address.lastIndexOf('@') + 1)}>`
}

/** A multipart boundary. It depends on the content, so that whoever wrote that cannot have put it in. */
export function boundaryOf(message: OutgoingMessage): string {
  const hash = createHash('sha256').update(JSON.stringify([message.deliveryId, message.target, message.content]))
  return `flowpost-${hash.digest('hex').slice(0, 32)}`
}

/**
 * A sender, read. Each message reads its own several times, and many have the same: up to 1,000 are kept.
 *
 * @throws TypeError when it is not a mailbox.
 */
export function mailbox(text: string): Mailbox {
  const known = mailboxes.get(text)
  if (known) return known
  const parsed = parseMailbox(text)
  if (!parsed) throw new TypeError('The sender is not a mailbox.')
  if (mailboxes.size >= mostMailboxes) mailboxes.clear()
  mailboxes.set(text, Object.freeze(parsed))
  return parsed
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
