import { describeDiscord, describeTeams, slackDescription, webhookDescription } from './chat.ts'
import type { ProviderDescription } from './description.ts'
import { mailgunDescription } from './mailgun.ts'
import { smtpDescription } from './smtp.ts'

/** The providers that Flowpost serves, in the order in which they are listed. */
export const builtInDescriptions: readonly ProviderDescription[] = [
  mailgunDescription,
  smtpDescription,
  slackDescription,
  describeDiscord(),
  describeTeams(),
  webhookDescription,
]
