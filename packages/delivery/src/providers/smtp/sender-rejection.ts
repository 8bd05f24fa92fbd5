/**
 * Enhanced status codes that concern the sender's address. The last two are Microsoft's: the user may not send as this
 * address.
 */
const senderCodes: ReadonlySet<string> = new Set(['5.1.7', '5.1.8', '5.2.252', '5.7.60'])

/** Enhanced status codes that concern only the recipient's address or mailbox. */
const recipientCode = /^5\.(?:1\.(?:[12346]|10)|2\.[0-4])$/

/**
 * Texts with which some servers reject a sender. The codes of these replies do not suffice, because the servers use the
 * same codes to reject a recipient or a message. Each pattern matches only at the start of a line: elsewhere, the text
 * may be a quotation, for example of the recipient's server.
 */
const senderTexts: readonly RegExp[] = [
  // Postfix. By default, it rejects the sender only at RCPT TO (`smtpd_delay_reject`). A reply with an empty address (`<>`) does
  // not match: Flowpost sends no message without a sender, so the reply quotes another server that rejected another message.
  /^(?:<[^>\n]+>: )?Sender address rejected\b/im,
  // Exim, also at RCPT TO. It could not verify that the sender's address exists.
  /^Sender verify failed\b/im,
  // Amazon SES, after it has received the message. For an account in the sandbox, the address can also be the recipient's.
  /^Message rejected: Email address is not verified\b/im,
  // SendGrid, after it has received the message.
  /^The from address does not match a verified Sender Identity\b/im,
  // Microsoft Exchange, after it has received the message.
  /^Client does not have permissions? to send as this sender\b/im,
]

const codesOfLines = /^\d{3}[ -](?:5\.\d{1,3}\.\d{1,3} )?/gm

/** Returns whether a permanent reply rejects the sender's address. */
export function isSenderRejection(reply: string, enhancedCode: string | undefined, command: string | undefined): boolean {
  if (enhancedCode !== undefined && senderCodes.has(enhancedCode)) return true
  // At MAIL FROM, the server knows no recipient yet, so a code that concerns an address (5.1.x) concerns the sender's.
  if (command === 'MAIL FROM' && enhancedCode?.startsWith('5.1.')) return true
  // A code that concerns the recipient takes precedence over the text. The text may be a quotation: to verify the recipient, a
  // server can contact the recipient's server, which can reject the sender that is used for the verification.
  if (command === 'RCPT TO' && enhancedCode !== undefined && recipientCode.test(enhancedCode)) return false
  const text = reply.replace(codesOfLines, '')
  return senderTexts.some((pattern) => pattern.test(text))
}
