import { slackChannel } from '@flowpost/domain'
import { z } from 'zod'
import type { MockProvider } from '../state/providers.ts'
import { headerSecret } from './fields.ts'
import { namedUrls, parseNameTarget } from './named-urls.ts'

const discordOrigins = ['https://discord.com', 'https://discordapp.com', 'https://canary.discord.com', 'https://ptb.discord.com']
const discordPath = /^\/api(?:\/v\d+)?\/webhooks\/\d+\/[\w-]+\/?$/
const teamsHost = /\.(?:logic\.azure\.com|api\.powerplatform\.com)$/

const isDiscordUrl = (url: URL): boolean => discordOrigins.includes(url.origin) && discordPath.test(url.pathname) && url.search === ''
const isTeamsUrl = (url: URL): boolean => url.protocol === 'https:' && teamsHost.test(url.hostname)

const byteCount = (base64: string): number => Math.floor((base64.replace(/=+$/, '').length * 3) / 4)
const keyBytes = (text: string): number => byteCount(text.slice('whsec_'.length))
const signingSecret = z
  .string()
  .regex(/^whsec_[A-Za-z0-9+/]+={0,2}$/, 'Give whsec_ and a key in base64.')
  .refine((text) => keyBytes(text) >= 24 && keyBytes(text) <= 64, 'The key must have 24 to 64 bytes.')

/** Messages to a channel of Slack. */
export const slack: MockProvider = { ...slackChannel, settings: z.strictObject({}), secrets: z.strictObject({ token: headerSecret }) }

/** Messages to a channel of Discord, through a webhook of it. */
export const discord: MockProvider = {
  id: 'discord',
  kind: 'chat',
  parseTarget: parseNameTarget,
  escape: (value) =>
    value.replace(/(https?:\/\/[^\s\\*~`|<>[\]()@]+)|[\\*_~`|<>#[\]()@]|^(?=[-+] )|^(?=\d+\. )/gm, (found, link?: string) =>
      link === undefined ? `\\${found}` : link,
    ),
  limits: { textCharacters: 2000 },
  settings: z.strictObject({}),
  secrets: z.strictObject({
    urls: namedUrls(isDiscordUrl, 'Give a webhook URL of Discord, as in https://discord.com/api/webhooks/…/…'),
  }),
}

/** Messages to Microsoft Teams, through a workflow. */
export const teams: MockProvider = {
  id: 'teams',
  kind: 'chat',
  parseTarget: parseNameTarget,
  escape: (value) => value.replace(/[\\*_~`<>#[\]]|^(?=[-+] )|^(?=\d+\. )/gm, '\\$&'),
  limits: { textCharacters: 20_000, totalBytes: 24_000 },
  settings: z.strictObject({}),
  secrets: z.strictObject({ urls: namedUrls(isTeamsUrl, 'Give the URL of a Teams workflow, as Power Automate shows it.') }),
}

/** Signed requests to a URL, by Standard Webhooks. */
export const webhook: MockProvider = {
  id: 'webhook',
  kind: 'chat',
  parseTarget: parseNameTarget,
  escape: (value) => value,
  limits: { totalBytes: 500_000 },
  settings: z.strictObject({}),
  secrets: z.strictObject({
    urls: namedUrls(() => true, 'Give an HTTPS URL without user, password and fragment.'),
    signing_secret: signingSecret,
    previous_signing_secret: signingSecret.optional(),
  }),
}
