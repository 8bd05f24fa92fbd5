import { z } from 'zod'
import { isSimulatedChannel } from '../delivery/simulated-recipients.ts'
import type { RenderedContent } from '../rendering/content.ts'
import type { Channel, ProviderDescription, SecretDestination, TargetResult } from './channel.ts'
import { escapeDiscordMarkdown, escapeTeamsMarkdown } from './escape-markdown.ts'
import { signingSecretField } from './fields.ts'
import { countTeamsCardBytes } from './teams-card.ts'

const namePattern = /^[a-z][a-z0-9_-]{0,62}$/
const nameRule = 'A name starts with a letter and has up to 63 lower-case letters, digits, "-" and "_", such as ops-alerts.'
const maxNames = 100

/**
 * Parses a target that is the name of a stored URL. Anyone who knows such a URL can post to it, so it is stored as a secret
 * and flows refer to it by name. Neither a flow nor a target override can reveal or replace the URL.
 * Also accepts the simulated recipients of test messages.
 */
const parseNameTarget = (address: string): TargetResult => {
  if (namePattern.test(address) || isSimulatedChannel(address)) return { ok: true, target: address, key: address }
  const mistake = /^https?:/i.test(address)
    ? 'A URL is a secret. Store it in the integration under a name, and use that name as the target.'
    : 'This is not a valid name.'
  return { ok: false, message: `${mistake} ${nameRule}` }
}

/** Returns the schema for a record of up to 100 URLs, keyed by name. */
const namedUrlsField = (isAllowed: (url: URL) => boolean, message: string) => {
  const url = z
    .string()
    .max(2048)
    .refine((text) => {
      const url = URL.canParse(text) ? new URL(text) : undefined
      return url !== undefined && isPlain(url) && isAllowed(url)
    }, message)
  const urls = z.record(z.string().regex(namePattern, nameRule), url)
  // The URLs are counted first, and are not validated if there are too many. Otherwise, a request with 100,000 invalid URLs
  // would take seconds, because each of them causes an issue.
  return z.preprocess((value: z.input<typeof urls>, context) => {
    if (z.core.util.isPlainObject(value) && Object.keys(value).length > maxNames)
      context.addIssue({ code: 'custom', message: `At most ${maxNames} URLs are allowed.` })
    return value
  }, urls)
}

const isPlain = (url: URL): boolean =>
  (url.protocol === 'https:' || url.protocol === 'http:') && url.username === '' && url.password === '' && url.hash === ''

/** The fields shared by all channels whose targets are names of stored URLs. */
const namedUrlChannel = { kind: 'chat', parseTarget: parseNameTarget } as const satisfies Partial<Channel>
const namedUrlDestination = { secrets: ['urls'] } as const satisfies SecretDestination
const noSettings = z.strictObject({})

const discordOrigins = ['https://discord.com', 'https://discordapp.com', 'https://canary.discord.com', 'https://ptb.discord.com']
const discordPath = /^\/api(?:\/v\d+)?\/webhooks\/\d+\/[\w-]+\/?$/

/**
 * Returns the description of the provider `discord`, which posts messages to a Discord channel through the channel's
 * webhook.
 * @param origins The origins that webhook URLs may have. Default: Discord's own origins.
 */
export const describeDiscord = (origins: readonly string[] = discordOrigins) => ({
  ...namedUrlChannel,
  id: 'discord',
  escape: escapeDiscordMarkdown,
  limits: { textCharacters: 2000 },
  settings: noSettings,
  secrets: z.strictObject({
    urls: namedUrlsField(
      (url) => origins.includes(url.origin) && discordPath.test(url.pathname) && url.search === '',
      'Must be a Discord webhook URL, such as https://discord.com/api/webhooks/…/…',
    ),
  }),
  secretDestination: namedUrlDestination,
})

/** The hosts of Power Automate workflows. Older workflows use the first domain, newer ones the second. */
const workflowHost = /\.(?:logic\.azure\.com|api\.powerplatform\.com)$/

/**
 * Returns the description of the provider `teams`, which posts messages to a channel or chat in Microsoft Teams through a
 * Power Automate workflow.
 * @param isWorkflowUrl Returns whether a URL belongs to a workflow. Default: accepts HTTPS URLs on Power Automate's hosts.
 */
export const describeTeams = (
  isWorkflowUrl: (url: URL) => boolean = (url) => url.protocol === 'https:' && workflowHost.test(url.hostname),
) => ({
  ...namedUrlChannel,
  id: 'teams',
  escape: escapeTeamsMarkdown,
  // Teams limits a card to 28 KB.
  limits: { textCharacters: 20_000, totalBytes: 28_000, countBytes: ({ text }: RenderedContent) => countTeamsCardBytes(text) },
  settings: noSettings,
  secrets: z.strictObject({ urls: namedUrlsField(isWorkflowUrl, 'Must be the URL of a Teams workflow, as shown by Power Automate.') }),
  secretDestination: namedUrlDestination,
})

/** The description of the provider `webhook`, which sends signed HTTP requests to URLs that the user chooses. */
export const webhookDescription = {
  ...namedUrlChannel,
  id: 'webhook',
  // The value needs no escaping, because the text is sent as a JSON string, and JSON serialization escapes it.
  escape: (value: string) => value,
  limits: { totalBytes: 500_000 },
  settings: noSettings,
  secrets: z.strictObject({
    urls: namedUrlsField(
      () => true,
      'Must be an HTTPS URL without a user, password or fragment. Plain HTTP works only in networks that the deployment allows.',
    ),
    signing_secret: signingSecretField,
    /**
     * The previous secret, while secrets are being rotated. Requests are then signed with both secrets, so a receiver can
     * verify either signature.
     */
    previous_signing_secret: signingSecretField.optional(),
  }),
  // A request with a new URL must contain the signing secret again. Otherwise, someone without the secret could add another
  // URL, receive signed messages there, and replay them to receivers that trust the secret.
  secretDestination: namedUrlDestination,
} as const satisfies ProviderDescription
