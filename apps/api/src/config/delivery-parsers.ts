// Parsers for the environment variables that contain the deployment's credentials. They use the providers' schemas and parsers.
import { createMailgun, createSlack, parseSmtpUrl } from '@flowpost/delivery'
import { bounceAddress as bounceAddressField, mailgunDescription, slackDescription } from '@flowpost/domain'
import { z } from 'zod'

/** Applies a provider's schema. Rewords each error message so that it can follow the name of the variable. */
const withRules = (schema: z.ZodType) =>
  z.string().superRefine((value, context) => {
    for (const issue of schema.safeParse(value).error?.issues ?? []) {
      const message = issue.code === 'too_big' ? `must have at most ${issue.maximum} characters` : issue.message
      context.addIssue(`${message.charAt(0).toLowerCase()}${message.slice(1)}`.replace(/\.$/, ''))
    }
  })

/** Accepts a value unless `parse` throws. */
const acceptedBy = (parse: (value: string) => unknown) =>
  z.string().superRefine((value, context) => {
    try {
      parse(value)
    } catch (error) {
      context.addIssue(`is invalid. ${(error as Error).message}`)
    }
  })

/**
 * Accepts the URL of an SMTP server; see {@link parseSmtpUrl}. Passes a placeholder as the sender, because
 * `FLOWPOST_EMAIL_FROM` is checked separately.
 */
export const smtpUrl = acceptedBy((url) => parseSmtpUrl(url, 'flowpost@example.com')).describe(
  'URL that starts with `smtp://` or `smtps://`',
)

const apiUrlFormat = '`https://` URL, or `http://` URL on this machine'

/** Accepts the base URL of Mailgun's API. */
export const mailgunApiUrl = acceptedBy((apiUrl) => createMailgun({ apiUrl })).describe(apiUrlFormat)

/** Accepts the base URL of Slack's API. */
export const slackApiUrl = acceptedBy((apiUrl) => createSlack({ apiUrl })).describe(apiUrlFormat)

/** Accepts the address that receives bounces. */
export const bounceAddress = withRules(bounceAddressField).describe('ASCII address with at most 33 characters before the `@`')

/** Accepts a Mailgun sending domain. */
export const mailgunDomain = withRules(mailgunDescription.settings.shape.domain).describe('Host name, such as `mg.example.com`')

/** Accepts a Mailgun API key or webhook signing key. */
export const mailgunSecret = withRules(mailgunDescription.secrets.shape.api_key).describe('Visible ASCII characters')

/** Accepts a Slack bot token. */
export const slackToken = withRules(slackDescription.secrets.shape.token).describe('Visible ASCII characters')
