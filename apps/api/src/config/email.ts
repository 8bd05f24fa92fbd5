import { parseMailbox } from '@flowpost/domain'
import { z } from 'zod'
import { bounceAddress, mailgunApiUrl, mailgunDomain, mailgunSecret, smtpUrl } from './delivery-parsers.ts'
import { integer, oneOf } from './parsers.ts'

/** The environment variables for the deployment's own email credentials. */
export const emailFields = {
  FLOWPOST_SMTP_URL: smtpUrl.optional(),
  FLOWPOST_EMAIL_FROM: z
    .string()
    .max(600, 'must have at most 600 characters')
    .refine((value) => parseMailbox(value) !== null, {
      error: 'must be an address or "Name <address>", without control characters or bidirectional formatting',
    })
    .describe('Address, or `Name <address>`')
    .optional(),
  FLOWPOST_BOUNCE_ADDRESS: bounceAddress.optional(),
  FLOWPOST_INBOUND_TOKEN: z
    .string()
    .regex(/^fpi_[A-Za-z0-9_-]{32}$/, 'must be fpi_ followed by 32 characters of A-Z, a-z, 0-9, _ and -')
    .describe('`fpi_` and 32 characters of `A-Za-z0-9_-`')
    .optional(),
  FLOWPOST_SMTP_CONNECTIONS: integer(1, 1000).default(20),
  FLOWPOST_MAILGUN_API_KEY: mailgunSecret.optional(),
  FLOWPOST_MAILGUN_DOMAIN: mailgunDomain.optional(),
  FLOWPOST_MAILGUN_REGION: oneOf(['us', 'eu']).default('us'),
  FLOWPOST_MAILGUN_WEBHOOK_SIGNING_KEY: mailgunSecret.optional(),
  FLOWPOST_MAILGUN_API_URL: mailgunApiUrl.optional(),
} as const

/** The deployment's own credential for Mailgun. */
export interface MailgunConfig {
  readonly apiKey: string
  readonly domain: string
  readonly region: 'us' | 'eu'
  /** The key that verifies reports from Mailgun's webhooks. */
  readonly webhookSigningKey: string | undefined
}

/** Returns the deployment's own credential for Mailgun; `undefined` if there is none. */
export const readMailgun = (value: z.output<z.ZodObject<typeof emailFields>>): MailgunConfig | undefined =>
  value.FLOWPOST_MAILGUN_API_KEY !== undefined && value.FLOWPOST_MAILGUN_DOMAIN !== undefined
    ? {
        apiKey: value.FLOWPOST_MAILGUN_API_KEY,
        domain: value.FLOWPOST_MAILGUN_DOMAIN,
        region: value.FLOWPOST_MAILGUN_REGION,
        webhookSigningKey: value.FLOWPOST_MAILGUN_WEBHOOK_SIGNING_KEY,
      }
    : undefined
