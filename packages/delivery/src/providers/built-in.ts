import type { Provider } from '../provider.ts'
import { discord } from './discord.ts'
import { createMailgun } from './mailgun.ts'
import { createSlack } from './slack.ts'
import { createSmtp, type SmtpOptions } from './smtp/smtp.ts'
import { teams } from './teams.ts'
import { webhook } from './webhook.ts'

/** The options with which a deployment configures the built-in providers. */
export interface BuiltInProviderOptions {
  readonly smtp?: SmtpOptions
  /** The base URL of Mailgun's API, without the version. @default Mailgun's URL for the credential's region */
  readonly mailgunApiUrl?: string
  /** The base URL of Slack's Web API. @default `https://slack.com/api/` */
  readonly slackApiUrl?: string
}

/**
 * Creates all providers in this package. A deployment can also register its own providers:
 * `createRegistry([...createBuiltInProviders(), telegram])`.
 *
 * @throws TypeError when an API URL is invalid. It must use HTTPS, except on a loopback address.
 */
export function createBuiltInProviders({ smtp, mailgunApiUrl, slackApiUrl }: BuiltInProviderOptions = {}): readonly Provider[] {
  return [
    createMailgun(mailgunApiUrl === undefined ? {} : { apiUrl: mailgunApiUrl }),
    createSmtp(smtp),
    createSlack(slackApiUrl === undefined ? {} : { apiUrl: slackApiUrl }),
    discord,
    teams,
    webhook,
  ]
}

/** All providers in this package, with default options. */
export const builtInProviders: readonly Provider[] = createBuiltInProviders()
