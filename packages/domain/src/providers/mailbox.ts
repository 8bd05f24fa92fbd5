import { z } from 'zod'
import { parseEmailAddress } from '../channels/email-address.ts'

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
export const parseMailbox = (text: string): Mailbox | null => {
  if (unsafe.test(text) || !text.isWellFormed()) return null
  const match = bracketed.exec(text.trim())
  const address = parseAddress((match?.groups?.['address'] ?? text).trim())
  if (address === null) return null
  const name = unquote((match?.groups?.['name'] ?? '').trim())
  if (name === null || name.length > longestName) return null
  return { name, address }
}

/** A field for a mailbox, kept as it was written. */
export const mailboxField = z
  .string()
  .max(600)
  .refine((text) => parseMailbox(text) !== null, 'Give an email address, or a name and an address as in: Flowpost <no-reply@example.com>')

/** As a target is read, and `localhost` besides: a sender on a machine without a mail domain. */
const parseAddress = (text: string): string | null => {
  const local = /^(?<part>[^@]+)@localhost$/.exec(text)?.groups?.['part']
  const result = parseEmailAddress(local === undefined ? text : `${local}@localhost.invalid`)
  if (!result.ok) return null
  return local === undefined ? result.target : `${local}@localhost`
}

const unquote = (name: string): string | null => {
  if (!name.includes('"')) return name
  return /^"(?:[^"\\]|\\.)*"$/.test(name) ? name.slice(1, -1).replace(/\\(.)/g, '$1') : null
}
