import { z } from 'zod'
import type { Channel, ProviderDescription, SecretDestination, TargetResult } from './channel.ts'
import { signingSecretField } from './fields.ts'

const namePattern = /^[a-z][a-z0-9_-]{0,62}$/
const nameRule = 'A name has lower-case letters, digits, "-" and "_", and starts with a letter'
const maxNames = 100

/**
 * Parses a target that is the name of a stored URL. A URL that contains its own credential is stored as a secret and referred to by
 * name, so that neither a flow nor an override can reveal or replace it.
 */
const parseNameTarget = (address: string): TargetResult => {
  if (namePattern.test(address)) return { ok: true, target: address, key: address }
  const mistake = /^https?:/i.test(address)
    ? 'A URL is a secret: store it in the integration under a name, and use that name.'
    : 'This is not a name.'
  return { ok: false, message: `${mistake} ${nameRule}, such as ops-alerts.` }
}

/** Returns a field for up to 100 URLs by name. */
const namedUrlsField = (isAllowed: (url: URL) => boolean, message: string) => {
  const url = z
    .string()
    .max(2048)
    .refine((text) => URL.canParse(text) && isPlain(new URL(text)) && isAllowed(new URL(text)), message)
  return z
    .record(z.string().regex(namePattern, `${nameRule}.`), url)
    .refine((urls) => Object.keys(urls).length <= maxNames, `At most ${maxNames} URLs are allowed.`)
}

const isPlain = (url: URL): boolean =>
  (url.protocol === 'https:' || url.protocol === 'http:') && url.username === '' && url.password === '' && url.hash === ''

/** The common part of all channels whose targets are names of stored URLs. */
const namedUrlChannel = { kind: 'chat', parseTarget: parseNameTarget } as const satisfies Partial<Channel>
const namedUrlDestination = { secrets: ['urls'] } as const satisfies SecretDestination
const noSettings = z.strictObject({})

const discordOrigins = ['https://discord.com', 'https://discordapp.com', 'https://canary.discord.com', 'https://ptb.discord.com']
const discordPath = /^\/api(?:\/v\d+)?\/webhooks\/\d+\/[\w-]+\/?$/

/** Escapes Discord's Markdown and mentions. Links stay as they are, because a backslash would break them. */
const escapeDiscord = (value: string): string =>
  value.replace(/(https?:\/\/[^\s\\*~`|<>[\]()@]+)|[\\*_~`|<>#[\]()@]|^(?=[-+] )|^(?=\d+\. )/gm, (match, link?: string) =>
    link === undefined ? `\\${match}` : link,
  )

/**
 * Returns the description of Discord, which delivers messages to a channel through one of its webhooks.
 * @param origins The allowed origins of webhook URLs. Default: those of Discord.
 */
export const describeDiscord = (origins: readonly string[] = discordOrigins) => ({
  ...namedUrlChannel,
  id: 'discord',
  escape: escapeDiscord,
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

/** The hosts of Power Automate workflows: older and newer ones. */
const workflowHost = /\.(?:logic\.azure\.com|api\.powerplatform\.com)$/

/**
 * Returns the description of Microsoft Teams, which delivers messages to a channel or chat through a workflow.
 * @param isWorkflowUrl Whether a URL is that of a workflow. Default: HTTPS to a host of Power Automate.
 */
export const describeTeams = (
  isWorkflowUrl: (url: URL) => boolean = (url) => url.protocol === 'https:' && workflowHost.test(url.hostname),
) => ({
  ...namedUrlChannel,
  id: 'teams',
  escape: (value: string) => value.replace(/[\\*_~`<>#[\]]|^(?=[-+] )|^(?=\d+\. )/gm, '\\$&'),
  limits: { textCharacters: 20_000, totalBytes: 24_000 },
  settings: noSettings,
  secrets: z.strictObject({ urls: namedUrlsField(isWorkflowUrl, 'Must be the URL of a Teams workflow, as shown by Power Automate.') }),
  secretDestination: namedUrlDestination,
})

/** The description of webhooks: signed HTTP requests to a URL of the user. */
export const webhookDescription = {
  ...namedUrlChannel,
  id: 'webhook',
  // The text is sent as a JSON string, which needs no escaping of values.
  escape: (value: string) => value,
  limits: { totalBytes: 500_000 },
  settings: noSettings,
  secrets: z.strictObject({
    urls: namedUrlsField(() => true, 'Must be an HTTPS URL without user, password and fragment.'),
    signing_secret: signingSecretField,
    /** The previous secret during a rotation. Requests are signed with both secrets, so a receiver can verify either signature. */
    previous_signing_secret: signingSecretField.optional(),
  }),
  // A new URL requires the signing secret again: its receiver could replay signed messages to anyone who trusts the secret.
  secretDestination: namedUrlDestination,
} as const satisfies ProviderDescription
