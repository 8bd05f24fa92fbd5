import type { Mailbox } from '@flowpost/domain'
import { encodeWord } from 'nodemailer/lib/mime-funcs'
import MimeNode from 'nodemailer/lib/mime-node'
import { isPlainDomain } from './mailbox.ts'

// One for all: encoding leaves nothing in a node, but each new one draws random bytes, which took most of the time of composing.
const encoder = new MimeNode(false)

/** Printable ASCII (RFC 5322 section 2.2) but for `"`, which nodemailer encodes. */
const plainText = /^[ !#-~]*$/
/**
 * A word too long to stay in one line. Folding adds `Subject: ` or a blank before it, and a line has at most 998 octets
 * (RFC 5322 section 2.1.1). The lower bound leaves room for the blanks that stay with the word.
 */
const unfoldable = /[^ ]{900}/
/** Most characters of an encoded word, so that a line of 76 holds it. */
const maxEncodedWord = 52
/** A name that nodemailer writes without quotes. */
const plainName = /^[\w ]*$/
/** A dot-atom in ASCII (RFC 5322 section 3.2.3). */
const plainLocalPart = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/

/**
 * A subject as it stands in the header, before folding: as it is, or in encoded words (RFC 2047). A line break becomes a blank.
 * Plain ones do not pass through nodemailer, which would return them as they are.
 */
export function encodeSubject(subject: string): string {
  if (unfoldable.test(subject)) return encodeWord(subject, 'Q', maxEncodedWord)
  // What looks like an encoded word (RFC 2047 section 2) may have to be encoded itself.
  return plainText.test(subject) && !subject.includes('=?') ? subject : encoder.encodeHeaderValue('Subject', subject)
}

/**
 * A mailbox as it stands in a header of addresses (RFC 5322 section 3.4), before folding.
 * Plain ones do not pass through nodemailer, which would write the same.
 */
export function encodeMailbox({ name, address }: Mailbox): string {
  if (!plainName.test(name) || !isPlainAddress(address)) return encoder.encodeHeaderValue('To', { name, address })
  return name === '' ? address : `${name} <${address}>`
}

/** True for an address that nodemailer neither changes nor, where it stands alone, puts into angle brackets. */
function isPlainAddress(address: string): boolean {
  const at = address.lastIndexOf('@')
  return at > 0 && plainLocalPart.test(address.slice(0, at)) && isPlainDomain(address.slice(at + 1))
}
