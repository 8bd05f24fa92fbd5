import type { Channel } from './channel.ts'
import { parseEmailAddress } from './email-address.ts'

/**
 * Email through an SMTP server.
 *
 * How large a message may be is up to each server (RFC 1870). 10,240,000 bytes is the default of Postfix
 * (`message_size_limit`) and close to that of others; in base64, which adds 37%, that is 7 MB of text and HTML
 * with room for the header.
 */
export const smtpChannel: Channel = {
  id: 'smtp',
  kind: 'email',
  parseTarget: parseEmailAddress,
  limits: { totalBytes: 7_000_000 },
}
