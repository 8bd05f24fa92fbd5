import { createHash } from 'node:crypto'
import type { Mailbox } from '@flowpost/domain'
import type { OutgoingMessage } from '../provider.ts'
import { toAsciiAddress } from './address.ts'

/**
 * Returns the `Message-ID` of an email (RFC 5322 section 3.6.4). It is the same for every attempt, so mail clients can drop
 * duplicates.
 */
export function getMessageId({ deliveryId }: OutgoingMessage, { address }: Mailbox): string {
  const asciiAddress = toAsciiAddress(address)
  return `<${deliveryId}@${asciiAddress.slice(asciiAddress.lastIndexOf('@') + 1)}>`
}

/** Returns a multipart boundary. It contains a hash of the content, so that the content cannot contain the boundary. */
export function getBoundary(message: OutgoingMessage): string {
  const hash = createHash('sha256').update(JSON.stringify([message.deliveryId, message.target, message.content]))
  return `flowpost-${hash.digest('hex').slice(0, 32)}`
}

/** Replaces line breaks and other control characters with spaces, which prevents header injection. */
export function sanitizeHeader(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches the characters to remove.
  return text.toWellFormed().replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')
}

/** Converts line endings to CRLF (RFC 5321 section 2.3.8). */
export function toCrlf(text: string): string {
  return text.toWellFormed().replace(/\r\n|\r|\n/g, '\r\n')
}
