import { z } from 'zod'
import { mailgunChannel } from '../channels/mailgun.ts'
import type { ProviderDescription } from './description.ts'
import { headerSecret, hostName } from './fields.ts'
import { mailboxField } from './mailbox.ts'

/** Email through Mailgun. */
export const mailgunDescription = {
  ...mailgunChannel,
  settings: z.strictObject({
    /** The sending domain, as registered with Mailgun. */
    domain: hostName,
    /** Where the domain was created; Mailgun keeps the regions apart. */
    region: z.enum(['us', 'eu']).default('us'),
    /** The sender: an address, or `Name <address>`. */
    from: mailboxField,
    reply_to: mailboxField.optional(),
    /** Mailgun accepts the message and drops it (`o:testmode`); it is billed. */
    test_mode: z.boolean().default(false),
  }),
  secrets: z.strictObject({ api_key: headerSecret }),
  secretDestination: { settings: ['domain', 'region'] },
} as const satisfies ProviderDescription
