import { z } from 'zod'
import type { ProviderDescription } from './channel.ts'
import { parseEmailAddress } from './email-address.ts'
import { headerSecret, hostName } from './fields.ts'
import { mailboxField } from './mailbox.ts'

/**
 * Email through Mailgun.
 *
 * "Mailgun supports maximum messages size of 25MB", which is the size of the encoded message. Base64 adds 37%, which leaves
 * 18 MB of text and HTML with room for the header.
 * Source: https://documentation.mailgun.com/en/latest/api-sending.html
 */
export const mailgunDescription = {
  id: 'mailgun',
  kind: 'email',
  parseTarget: parseEmailAddress,
  limits: { totalBytes: 18_000_000 },
  settings: z.strictObject({
    /** The sending domain, as registered with Mailgun. */
    domain: hostName,
    /** The region of the domain. Mailgun keeps regions separate. */
    region: z.enum(['us', 'eu']).default('us'),
    /** The sender: an address, or `Name <address>`. */
    from: mailboxField,
    reply_to: mailboxField.optional(),
    /** Whether Mailgun accepts messages without sending them (`o:testmode`). Test messages are billed. */
    test_mode: z.boolean().default(false),
  }),
  secrets: z.strictObject({ api_key: headerSecret }),
  secretDestination: { settings: ['domain', 'region'] },
} as const satisfies ProviderDescription
