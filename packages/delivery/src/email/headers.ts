import type { Mailbox } from '@flowpost/domain'
import { encodeWord } from 'nodemailer/lib/mime-funcs'
import MimeNode from 'nodemailer/lib/mime-node'

// One `MimeNode` encodes all headers, because creating one is slow: the constructor generates a random boundary. The node
// can be shared, because encoding does not change it.
const encoder = new MimeNode(false)

/**
 * Matches a word that might not fit on a line of at most 998 octets (RFC 5322 section 2.1.1). The limit is 900 because the
 * line also contains `Subject: ` or the folding space, and may contain more spaces around the word.
 */
const unfoldableWord = /[^ ]{900}/
/** Maximum length, in characters, of an encoded word. nodemailer uses the same value; RFC 2047 allows up to 75. */
const maxEncodedWordLength = 52

/**
 * Encodes a subject for the `Subject` header, as encoded words (RFC 2047) where necessary. The result is a single,
 * unfolded line.
 */
export function encodeSubject(subject: string): string {
  return unfoldableWord.test(subject) ? encodeWord(subject, 'Q', maxEncodedWordLength) : encoder.encodeHeaderValue('Subject', subject)
}

/** Encodes a mailbox for an address header (RFC 5322 section 3.4). Does not fold lines. */
export function encodeMailbox({ name, address }: Mailbox): string {
  return encoder.encodeHeaderValue('To', { name, address })
}
