import { domainToASCII } from 'node:url'
import type { Mailbox } from '@flowpost/domain'

/** Labels in lower case. The last begins with a letter: a number, as in `1.2.3` or `0x7f`, would make an IPv4 address of the whole. */
const plainDomain = /^(?:[a-z0-9]+(?:-[a-z0-9]+)*\.)*[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/

/**
 * True for an ordinary ASCII domain, which `domainToASCII` returns as it is (host parsing of the WHATWG URL Standard). False
 * says nothing: also for an upper-case letter, and for two hyphens in a row, as in `xn--`.
 */
export function isPlainDomain(domain: string): boolean {
  return plainDomain.test(domain)
}

/** The address as it stands on the wire: an internationalised domain in its ASCII form (RFC 5890); a local part is never rewritten. */
export function wireAddress(address: string): string {
  const at = address.lastIndexOf('@')
  const domain = address.slice(at + 1)
  if (domain.startsWith('[') || (at >= 0 && isPlainDomain(domain))) return address
  return `${address.slice(0, at)}@${domainToASCII(domain) || domain}`
}

/** True when only a server with SMTPUTF8 (RFC 6531) can take the address. */
export function needsSmtpUtf8(address: string): boolean {
  return /[^\u0020-\u007e]/.test(wireAddress(address))
}

/** Writes a mailbox as `"Name" <address>`, or the bare address when there is no name. */
export function formatMailbox({ name, address }: Mailbox): string {
  return name === '' ? wireAddress(address) : `"${name.replace(/["\\]/g, '\\$&')}" <${wireAddress(address)}>`
}
