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
/**
 * Matches text that must not be sent unencoded. A reader would decode text that looks like an encoded word. A long run of spaces
 * would be folded into a line of spaces only, which RFC 5322 section 3.2.2 does not allow.
 */
const ambiguousText = /=\?| {60}/
/** Maximum length, in characters, of an encoded word. nodemailer uses the same value; RFC 2047 allows up to 75. */
const maxEncodedWordLength = 52

/**
 * Encodes a subject for the `Subject` header, as encoded words (RFC 2047) where necessary. The result is a single,
 * unfolded line.
 */
export function encodeSubject(subject: string): string {
  // Folding could move the spaces at the end of a subject to a separate line.
  const mustEncode = unfoldableWord.test(subject) || ambiguousText.test(subject) || subject.endsWith(' ')
  return mustEncode ? encodeWord(subject, 'Q', maxEncodedWordLength) : encoder.encodeHeaderValue('Subject', subject)
}

/** Encodes a mailbox for an address header (RFC 5322 section 3.4). Does not fold lines. */
export function encodeMailbox({ name, address }: Mailbox): string {
  if (!ambiguousText.test(name)) return encoder.encodeHeaderValue('To', { name, address })
  const placeholder = 'x'
  const encoded = encoder.encodeHeaderValue('To', { name: placeholder, address })
  return encodeWord(name, 'Q', maxEncodedWordLength) + encoded.slice(placeholder.length)
}
