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
// A control character or line separator in a header is an injection. A bidirectional control, as U+202E, reorders what
// follows it on the screen, so a name could be shown as another address (UTR 36 section 2.5, "Bidirectional Text Spoofing").
const unsafe = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u

/**
 * Reads `name@example.com` or `Name <name@example.com>`; the name may be in double quotes. Returns null when it is neither,
 * or has a control character or a bidirectional control.
 */
export const parseMailbox = (text: string): Mailbox | null => {
  if (unsafe.test(text) || !text.isWellFormed()) return null
  const match = bracketed.exec(text.trim())
  const address = parseAddress((match?.groups?.['address'] ?? text).trim())
  if (address === null) return null
  const name = unquote((match?.groups?.['name'] ?? '').trim())
  if (name === null || name.length > longestName) return null
  return { name, address }
}

const senderRule =
  'Give an email address, or a name and an address as in: Flowpost <no-reply@example.com>, without control characters, bidirectional ones included'

/** A field for a mailbox, kept as it was written. */
export const mailboxField = z
  .string()
  .max(600)
  .refine((text) => parseMailbox(text) !== null, senderRule)

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
