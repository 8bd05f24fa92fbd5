import { type Mailbox, parseMailbox, toAsciiDomain } from '@flowpost/domain'

/** The settings that determine the sender of an email. */
export interface EmailSender {
  /** An address, or `Name <address>`. */
  readonly from: string
  readonly reply_to?: string | undefined
  /** The address that receives bounces; see `toEnvelopeSender`. */
  readonly bounce_address?: string | undefined
}

/** Converts the domain of an address to ASCII (RFC 5890). The local part stays unchanged. */
export function toAsciiAddress(address: string): string {
  const start = address.lastIndexOf('@') + 1
  return address.slice(0, start) + toAsciiDomain(address.slice(start))
}

/** Returns whether an envelope with this sender or recipient address requires a server that supports SMTPUTF8 (RFC 6531). */
export function requiresSmtpUtf8(address: string): boolean {
  return /[^\u0020-\u007e]/.test(toAsciiAddress(address))
}

/** Formats a mailbox as `"Name" <address>`. A mailbox without a name is formatted as the address alone. */
export function formatMailbox({ name, address }: Mailbox): string {
  return name === '' ? toAsciiAddress(address) : `"${name.replace(/["\\]/g, '\\$&')}" <${toAsciiAddress(address)}>`
}

/**
 * Parses a sender: an address, or `Name <address>`.
 *
 * @throws TypeError when the text has neither form.
 */
export function parseSender(text: string): Mailbox {
  const mailbox = parseMailbox(text)
  if (!mailbox) throw new TypeError('The sender is not a mailbox. It must be an address, or `Name <address>`.')
  return mailbox
}
