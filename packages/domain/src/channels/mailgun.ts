import type { Channel } from './channel.ts'
import { parseEmailAddress } from './email-address.ts'

/**
 * Email through Mailgun.
 *
 * "Mailgun supports maximum messages size of 25MB", which is the size of the encoded message; in base64, which
 * adds 37%, that is 18 MB of text and HTML with room for the header.
 * Source: https://documentation.mailgun.com/en/latest/api-sending.html
 */
export const mailgunChannel: Channel = {
  id: 'mailgun',
  kind: 'email',
  parseTarget: parseEmailAddress,
  limits: { totalBytes: 18_000_000 },
}
