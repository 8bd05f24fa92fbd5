import { domainToASCII } from 'node:url'
import { type Mailbox, parseMailbox } from '@flowpost/domain'

/** The sender of an email. */
export interface EmailSender {
  /** An address, or `Name <address>`. */
  readonly from: string
  readonly reply_to?: string | undefined
}

/** Lower-case labels. The last starts with a letter: a number, as in `1.2.3` or `0x7f`, would make the name an IPv4 address. */
const asciiDomain = /^(?:[a-z0-9]+(?:-[a-z0-9]+)*\.)*[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/

/**
 * Returns whether `domainToASCII` would return the domain unchanged (WHATWG URL Standard, host parsing). A fast check without
 * false positives: it is also false for upper-case letters and for consecutive hyphens, as in `xn--`.
 */
export function isAsciiDomain(domain: string): boolean {
  return asciiDomain.test(domain)
}

/** Converts the domain of an address to ASCII (RFC 5890). The local part stays unchanged. */
export function toAsciiAddress(address: string): string {
  const at = address.lastIndexOf('@')
  const domain = address.slice(at + 1)
  if (domain.startsWith('[') || (at >= 0 && isAsciiDomain(domain))) return address
  return `${address.slice(0, at)}@${domainToASCII(domain) || domain}`
}

/** Returns whether the address requires a server with SMTPUTF8 (RFC 6531). */
export function requiresSmtpUtf8(address: string): boolean {
  return /[^\u0020-\u007e]/.test(toAsciiAddress(address))
}

/** Formats a mailbox as `"Name" <address>`, or as the address alone when it has no name. */
export function formatMailbox({ name, address }: Mailbox): string {
  return name === '' ? toAsciiAddress(address) : `"${name.replace(/["\\]/g, '\\$&')}" <${toAsciiAddress(address)}>`
}

const maxCachedSenders = 1000
const senderCache = new Map<string, Mailbox>()

/**
 * Parses a sender. Caches up to 1,000 results, because every message parses its sender several times.
 *
 * @throws TypeError when the text is not a mailbox.
 */
export function parseSender(text: string): Mailbox {
  const cached = senderCache.get(text)
  if (cached) return cached
  const mailbox = parseMailbox(text)
  if (!mailbox) throw new TypeError('The sender is not a mailbox.')
  if (senderCache.size >= maxCachedSenders) senderCache.clear()
  senderCache.set(text, Object.freeze(mailbox))
  return mailbox
}
