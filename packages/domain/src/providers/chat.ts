import { z } from 'zod'
import type { Channel } from '../channels/channel.ts'
import { slackChannel } from '../channels/slack.ts'
import type { ProviderDescription, SecretDestination } from './description.ts'
import { headerSecret } from './fields.ts'
import { namedUrlsField, parseNameTarget } from './named-urls.ts'
import { signingSecretField } from './signing-secret.ts'

const noSettings = z.strictObject({})

/** Messages to a Slack conversation. */
export const slackDescription = {
  ...slackChannel,
  settings: noSettings,
  secrets: z.strictObject({ token: headerSecret }),
  // The deployment decides which server it is.
  secretDestination: {},
} as const satisfies ProviderDescription

const namedUrlDestination = { secrets: ['urls'] } as const satisfies SecretDestination

/** What the channels have in common whose targets are names of stored URLs. */
const byName = { kind: 'chat', parseTarget: parseNameTarget } as const satisfies Partial<Channel>

const discordOrigins = ['https://discord.com', 'https://discordapp.com', 'https://canary.discord.com', 'https://ptb.discord.com']
const discordPath = /^\/api(?:\/v\d+)?\/webhooks\/\d+\/[\w-]+\/?$/

/** Takes the meaning out of Discord's Markdown and mentions; a link stays one, since a backslash would break it. */
const escapeDiscord = (value: string): string =>
  value.replace(/(https?:\/\/[^\s\\*~`|<>[\]()@]+)|[\\*_~`|<>#[\]()@]|^(?=[-+] )|^(?=\d+\. )/gm, (found, link?: string) =>
    link === undefined ? `\\${found}` : link,
  )

/**
 * Messages to a Discord channel, through a webhook of it.
 * @param origins Where webhook URLs may point to. Default: Discord's own.
 */
export const describeDiscord = (origins: readonly string[] = discordOrigins) => ({
  ...byName,
  id: 'discord',
  escape: escapeDiscord,
  limits: { textCharacters: 2000 },
  settings: noSettings,
  secrets: z.strictObject({
    urls: namedUrlsField(
      (url) => origins.includes(url.origin) && discordPath.test(url.pathname) && url.search === '',
      'Give a webhook URL of Discord, as in https://discord.com/api/webhooks/…/…',
    ),
  }),
  secretDestination: namedUrlDestination,
})

/** Hosts that Power Automate gives out for workflows, the older and the newer. */
const workflowHost = /\.(?:logic\.azure\.com|api\.powerplatform\.com)$/

/**
 * Messages to a channel or chat of Microsoft Teams, through a workflow.
 * @param isWorkflowUrl Tells the URLs of workflows. Default: HTTPS to the hosts of Power Automate.
 */
export const describeTeams = (
  isWorkflowUrl: (url: URL) => boolean = (url) => url.protocol === 'https:' && workflowHost.test(url.hostname),
) => ({
  ...byName,
  id: 'teams',
  escape: (value: string) => value.replace(/[\\*_~`<>#[\]]|^(?=[-+] )|^(?=\d+\. )/gm, '\\$&'),
  limits: { textCharacters: 20_000, totalBytes: 24_000 },
  settings: noSettings,
  secrets: z.strictObject({ urls: namedUrlsField(isWorkflowUrl, 'Give the URL of a Teams workflow, as Power Automate shows it.') }),
  secretDestination: namedUrlDestination,
})

/** Signed HTTPS requests to a URL of the tenant's. */
export const webhookDescription = {
  ...byName,
  id: 'webhook',
  // The text goes out as a JSON string; there is no markup to keep values out of.
  escape: (value: string) => value,
  limits: { totalBytes: 500_000 },
  settings: noSettings,
  secrets: z.strictObject({
    urls: namedUrlsField(() => true, 'Give an HTTPS URL without user, password and fragment.'),
    signing_secret: signingSecretField,
    /** While the secret is being changed: requests are signed with both, and a receiver may know either. */
    previous_signing_secret: signingSecretField.optional(),
  }),
  // Whoever receives signed messages of their choice can pass them on to those who trust the secret.
  secretDestination: namedUrlDestination,
}
