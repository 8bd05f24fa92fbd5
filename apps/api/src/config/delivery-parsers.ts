// Parsers that apply the providers' own rules to the variables of the deployment's credentials.
import { parseSmtpUrl } from '@flowpost/delivery'
import { bounceAddress as bounceAddressField, mailgunDescription, slackDescription } from '@flowpost/domain'
import { z } from 'zod'
import { isSecureUrl } from '../shared/secure-url.ts'

/** Applies a provider's schema. Rewords each message, because it follows the name of the variable. */
const withRules = (schema: z.ZodType) =>
  z.string().superRefine((value, context) => {
    for (const issue of schema.safeParse(value).error?.issues ?? []) {
      const message = issue.code === 'too_big' ? `must have at most ${issue.maximum} characters` : issue.message
      context.addIssue(`${message.charAt(0).toLowerCase()}${message.slice(1)}`.replace(/\.$/, ''))
    }
  })

/** Accepts the URL of an SMTP server; see {@link parseSmtpUrl}. */
export const smtpUrl = z
  .string()
  .superRefine((value, context) => {
    try {
      // FLOWPOST_EMAIL_FROM is checked on its own.
      parseSmtpUrl(value, 'flowpost@example.com')
    } catch (error) {
      context.addIssue(`is invalid. ${(error as Error).message}`)
    }
  })
  .describe('URL that starts with `smtp://` or `smtps://`')

/** Accepts the base URL of a provider's API. */
export const apiUrl = z
  .string()
  .refine((value) => {
    if (!isSecureUrl(value)) return false
    const { username, password, search, hash } = new URL(value)
    return [username, password, search, hash].every((part) => part === '')
  }, 'must be an https:// URL, or an http:// URL of this machine, without user, password, query or fragment')
  .describe('`https://` URL, or `http://` URL on this machine')

/** Accepts the address that receives bounces. */
export const bounceAddress = withRules(bounceAddressField).describe('ASCII address with at most 33 characters before the `@`')

/** Accepts a sending domain of Mailgun. */
export const mailgunDomain = withRules(mailgunDescription.settings.shape.domain).describe('Host name, such as `mg.example.com`')

/** Accepts an API key or a signing key of Mailgun. */
export const mailgunSecret = withRules(mailgunDescription.secrets.shape.api_key).describe('Visible ASCII characters')

/** Accepts a bot token of Slack. */
export const slackToken = withRules(slackDescription.secrets.shape.token).describe('Visible ASCII characters')
