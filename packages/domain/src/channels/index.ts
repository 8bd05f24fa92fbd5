import type { Channel } from './channel.ts'
import { mailgunChannel } from './mailgun.ts'
import { slackChannel } from './slack.ts'
import { smtpChannel } from './smtp.ts'

/** The channels that Flowpost brings. A deployment may register more. */
export const builtInChannels: readonly Channel[] = [mailgunChannel, smtpChannel, slackChannel]
