import { z } from 'zod'
import type { ProviderDescription } from './channel.ts'
import { parseEmailAddress } from './email-address.ts'
import { headerSecret, hostName } from './fields.ts'
import { mailboxField } from './mailbox.ts'

/**
 * The description of the provider `mailgun`, which sends email through Mailgun.
 *
 * The limit `totalBytes` follows from Mailgun's "maximum messages size of 25MB" for the encoded message. Base64 adds
 * 37%, so 18 MB of text and HTML fit, with room for the header. Source:
 * https://documentation.mailgun.com/en/latest/api-sending.html
 */
export const mailgunDescription = {
  id: 'mailgun',
  kind: 'email',
  parseTarget: parseEmailAddress,
  limits: { totalBytes: 18_000_000 },
  reportType: 'application/json',
  settings: z.strictObject({
    /** The sending domain, as registered with Mailgun. */
    domain: hostName,
    /** The Mailgun region in which the domain is registered. A domain exists in only one region. */
    region: z.enum(['us', 'eu']).default('us'),
    /** The sender: an address, or `Name <address>`. */
    from: mailboxField,
    reply_to: mailboxField.optional(),
    /** Whether Mailgun accepts messages without sending them (`o:testmode`). Mailgun bills test messages too. */
    test_mode: z.boolean().default(false),
  }),
  secrets: z.strictObject({
    api_key: headerSecret,
    /** The account's "HTTP webhook signing key", which verifies the reports that Mailgun's webhooks post. */
    webhook_signing_key: headerSecret.optional(),
  }),
  secretDestination: { settings: ['domain', 'region'] },
} as const satisfies ProviderDescription
