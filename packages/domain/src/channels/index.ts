import type { ProviderDescription } from './channel.ts'
import { mailgunDescription } from './mailgun.ts'
import { describeDiscord, describeTeams, webhookDescription } from './named-urls.ts'
import { slackDescription } from './slack.ts'
import { smtpDescription } from './smtp.ts'

/** The descriptions of the six built-in providers, in the order in which the API lists them. */
export const builtInDescriptions: readonly ProviderDescription[] = [
  mailgunDescription,
  smtpDescription,
  slackDescription,
  describeDiscord(),
  describeTeams(),
  webhookDescription,
]
