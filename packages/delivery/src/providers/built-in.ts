import type { Provider } from '../provider.ts'
import { discord } from './discord.ts'
import { createMailgun } from './mailgun.ts'
import { createSlack } from './slack.ts'
import { createSmtp, type SmtpOptions } from './smtp.ts'
import { teams } from './teams.ts'
import { webhook } from './webhook.ts'

/** What a deployment may decide about the providers of this package. */
export interface BuiltInOptions {
  readonly smtp?: SmtpOptions
  /** Where Mailgun's API is, without a version. Default: by the region of the integration. */
  readonly mailgunApiUrl?: string
  /** Where Slack's Web API is. Default: `https://slack.com/api/`. */
  readonly slackApiUrl?: string
}

/**
 * Makes every provider of this package, for {@link createRegistry}. A deployment adds its own:
 * `createRegistry([...createBuiltInProviders(), telegram])`.
 *
 * @throws TypeError when an API URL is not HTTPS (HTTP is taken for loopback).
 */
export function createBuiltInProviders({ smtp, mailgunApiUrl, slackApiUrl }: BuiltInOptions = {}): readonly Provider[] {
  return [
    createMailgun(mailgunApiUrl === undefined ? {} : { apiUrl: mailgunApiUrl }),
    createSmtp(smtp),
    createSlack(slackApiUrl === undefined ? {} : { apiUrl: slackApiUrl }),
    discord,
    teams,
    webhook,
  ]
}

/** Every provider of this package, with its defaults. */
export const builtInProviders: readonly Provider[] = createBuiltInProviders()
