import { domainToASCII } from 'node:url'
import { smtpChannel } from '@flowpost/domain'
import { z } from 'zod'

/** One email address with the name shown beside it. */
export interface Mailbox {
  /** Empty when there is none. */
  readonly name: string
  readonly address: string
}

const longestName = 255
const bracketed = /^(?<name>[^<>]*)<(?<address>[^<>]+)>$/
// biome-ignore lint/suspicious/noControlCharactersInRegex: a control character in a header is an injection.
const unsafe = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/

/** Reads `name@example.com` or `Name <name@example.com>`; the name may be in double quotes. Null when it is neither. */
export function parseMailbox(text: string): Mailbox | null {
  if (unsafe.test(text) || !text.isWellFormed()) return null
  const match = bracketed.exec(text.trim())
  const address = parseAddress((match?.groups?.address ?? text).trim())
  if (address === null) return null
  const name = unquote((match?.groups?.name ?? '').trim())
  if (name === null || name.length > longestName) return null
  return { name, address }
}

/** A zod field for a mailbox, kept as it was written. */
export const mailboxField = z
  .string()
  .max(600)
  .refine((text) => parseMailbox(text) !== null, 'Give an email address, or a name and an address as in: Flowpost <no-reply@example.com>')

/** The address as it stands on the wire: an internationalised domain in its ASCII form (RFC 5890); a local part is never rewritten. */
export function wireAddress(address: string): string {
  const at = address.lastIndexOf('@')
  const domain = address.slice(at + 1)
  if (domain.startsWith('[')) return address
  return `${address.slice(0, at)}@${domainToASCII(domain) || domain}`
}

/** True when only a server with SMTPUTF8 (RFC 6531) can take the address. */
export function needsSmtpUtf8(address: string): boolean {
  return /[^\u0020-\u007e]/.test(wireAddress(address))
}

/** As a target is read, and `localhost` besides: a sender on a machine without a mail domain. */
function parseAddress(text: string): string | null {
  const local = /^(?<part>[^@]+)@localhost$/.exec(text)?.groups?.part
  const result = smtpChannel.parseTarget(local === undefined ? text : `${local}@localhost.invalid`)
  if (!result.ok) return null
  return local === undefined ? result.target : `${local}@localhost`
}

function unquote(name: string): string | null {
  if (!name.includes('"')) return name
  return /^"(?:[^"\\]|\\.)*"$/.test(name) ? name.slice(1, -1).replace(/\\(.)/g, '$1') : null
}

/** Writes a mailbox as `"Name" <address>`, or the bare address when there is no name. */
export function formatMailbox({ name, address }: Mailbox): string {
  return name === '' ? wireAddress(address) : `"${name.replace(/["\\]/g, '\\$&')}" <${wireAddress(address)}>`
}
