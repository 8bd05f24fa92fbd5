/**
 * Enhanced status codes that concern the sender's address. The last two are Microsoft's, and mean that the user may not
 * send from this address.
 */
const senderCodes: ReadonlySet<string> = new Set(['5.1.7', '5.1.8', '5.2.252', '5.7.60'])

/** Enhanced status codes that concern only the recipient's address or mailbox. */
const recipientCode = /^5\.(?:1\.(?:[12346]|10)|2\.[0-4])$/

/**
 * Texts with which some servers reject a sender. The codes in these replies do not suffice, because the servers use the
 * same codes to reject a recipient or a message. Each pattern matches only at the start of a line: elsewhere in a line,
 * the text may be quoted from another server, such as the recipient's.
 */
const senderTexts: readonly RegExp[] = [
  // Postfix sends this text, by default only at RCPT TO (`smtpd_delay_reject`). The sender's address may precede the text. The
  // pattern does not match the empty sender (`<>`): Flowpost never uses it, so a reply with `<>` quotes another server. For
  // example, the SMTP server may use the sender `<>` to ask the recipient's server whether the recipient exists, and quote that
  // server's rejection of `<>`.
  /^(?:<[^>\n]+>: )?Sender address rejected\b/im,
  // Exim sends this text at RCPT TO, if it could not verify that the sender's address exists.
  /^Sender verify failed\b/im,
  // Amazon SES sends this text. In the SES sandbox, the text can name the recipient, because recipients must be verified too.
  // It counts as a sender rejection even then: the owner of the SES account must act.
  /^Message rejected: Email address is not verified\b/im,
  // SendGrid sends this text after it has received the message.
  /^The from address does not match a verified Sender Identity\b/im,
  // Microsoft Exchange sends this text after it has received the message.
  /^Client does not have permissions? to send as this sender\b/im,
]

const codesOfLines = /^\d{3}[ -](?:5\.\d{1,3}\.\d{1,3} )?/gm

/** Returns whether a permanent reply rejects the sender's address. */
export function isSenderRejection(reply: string, enhancedCode: string | undefined, command: string | undefined): boolean {
  if (enhancedCode !== undefined && senderCodes.has(enhancedCode)) return true
  // At MAIL FROM, the server does not know the recipient yet, so a code about an address (5.1.x) is about the sender's address.
  if (command === 'MAIL FROM' && enhancedCode?.startsWith('5.1.')) return true
  // If the code is about the recipient, the reply's text is ignored, because it may quote another server. For example, the SMTP
  // server may ask the recipient's server whether the recipient exists, and quote that server's rejection of the sender address.
  if (command === 'RCPT TO' && enhancedCode !== undefined && recipientCode.test(enhancedCode)) return false
  const text = reply.replace(codesOfLines, '')
  return senderTexts.some((pattern) => pattern.test(text))
}
