import type { Mailbox } from '@flowpost/domain'
import { encodeWord } from 'nodemailer/lib/mime-funcs'
import MimeNode from 'nodemailer/lib/mime-node'

// Shared, because every new node generates a random boundary. Encoding does not change the node.
const encoder = new MimeNode(false)

/**
 * A word that is too long for a line of 998 octets (RFC 5322 section 2.1.1). The limit is lower, because the line also
 * contains `Subject: ` or the folding space, and any other spaces next to the word.
 */
const unfoldableWord = /[^ ]{900}/
/** Maximum length of an encoded word that fits a line of 76 characters. */
const maxEncodedWordLength = 52

/** Encodes a subject for its header, in encoded words (RFC 2047) where necessary. Line breaks become spaces. Does not fold. */
export function encodeSubject(subject: string): string {
  return unfoldableWord.test(subject) ? encodeWord(subject, 'Q', maxEncodedWordLength) : encoder.encodeHeaderValue('Subject', subject)
}

/** Encodes a mailbox for an address header (RFC 5322 section 3.4). Does not fold. */
export function encodeMailbox({ name, address }: Mailbox): string {
  return encoder.encodeHeaderValue('To', { name, address })
}
