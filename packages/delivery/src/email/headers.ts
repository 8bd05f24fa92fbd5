import type { Mailbox } from '@flowpost/domain'
import { encodeWord } from 'nodemailer/lib/mime-funcs'
import MimeNode from 'nodemailer/lib/mime-node'
import { isAsciiDomain } from './address.ts'

// Shared because every new node draws random bytes, which would take most of the composing time. Encoding leaves no state.
const encoder = new MimeNode(false)

/** Printable ASCII (RFC 5322 section 2.2) except `"`, which nodemailer encodes. */
const plainText = /^[ !#-~]*$/
/**
 * A word too long for one line of 998 octets (RFC 5322 section 2.1.1). The bound is lower because folding adds `Subject: ` or
 * a space before the word, and other spaces stay with it.
 */
const unfoldableWord = /[^ ]{900}/
/** Maximum length of an encoded word that fits a line of 76 characters. */
const maxEncodedWordLength = 52
/** A name that nodemailer does not quote. */
const plainName = /^[\w ]*$/
/** A dot-atom in ASCII (RFC 5322 section 3.2.3). */
const plainLocalPart = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/

/** Encodes a subject for its header, in encoded words (RFC 2047) where necessary. Line breaks become spaces. Does not fold. */
export function encodeSubject(subject: string): string {
  if (unfoldableWord.test(subject)) return encodeWord(subject, 'Q', maxEncodedWordLength)
  // Fast path: nodemailer returns plain text unchanged. Text that looks like an encoded word (RFC 2047 section 2) may need encoding.
  return plainText.test(subject) && !subject.includes('=?') ? subject : encoder.encodeHeaderValue('Subject', subject)
}

/** Encodes a mailbox for an address header (RFC 5322 section 3.4). Does not fold. */
export function encodeMailbox({ name, address }: Mailbox): string {
  // Fast path: nodemailer returns plain mailboxes unchanged.
  if (!plainName.test(name) || !isPlainAddress(address)) return encoder.encodeHeaderValue('To', { name, address })
  return name === '' ? address : `${name} <${address}>`
}

/** Returns whether nodemailer leaves the address unchanged and does not put it into angle brackets on its own. */
function isPlainAddress(address: string): boolean {
  const at = address.lastIndexOf('@')
  return at > 0 && plainLocalPart.test(address.slice(0, at)) && isAsciiDomain(address.slice(at + 1))
}
