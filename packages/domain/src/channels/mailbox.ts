import { z } from 'zod'
import { parseEmailAddress } from './email-address.ts'

/** An email address with an optional display name. */
export interface Mailbox {
  /** The display name; empty if there is none. */
  readonly name: string
  readonly address: string
}

const maxNameLength = 255
const bracketed = /^(?<name>[^<>]*)<(?<address>[^<>]+)>$/
// Control characters and line separators allow header injection. Bidirectional controls, such as U+202E, reorder the text
// that follows, which can make a name look like a different address (UTR 36, section 2.5, "Bidirectional Text Spoofing").
const unsafe = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u

/**
 * Parses `name@example.com` or `Name <name@example.com>`, where the name can be in double quotes. Returns null if the
 * text has neither form, contains control characters or bidirectional controls, or has a name of more than 255 characters.
 */
export const parseMailbox = (text: string): Mailbox | null => {
  if (unsafe.test(text) || !text.isWellFormed()) return null
  const match = bracketed.exec(text.trim())
  const address = parseAddress((match?.groups?.['address'] ?? text).trim())
  if (address === null) return null
  const name = unquote((match?.groups?.['name'] ?? '').trim())
  if (name === null || name.length > maxNameLength) return null
  return { name, address }
}

const senderRule =
  'Must be an email address, optionally with a name, such as Flowpost <no-reply@example.com>. It must not contain control characters or bidirectional formatting characters.'

/** The schema for a mailbox. The text is stored exactly as entered. */
export const mailboxField = z
  .string()
  .max(600)
  .refine((text) => parseMailbox(text) !== null, senderRule)

/**
 * Parses an address according to the rules for email targets. Also accepts the domain `localhost`, for a sender on a
 * machine without a mail domain.
 */
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
